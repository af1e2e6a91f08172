package configs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/waitroom/waitroom/configs"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// patience is far beyond what a change takes to be seen.
const patience = 20 * time.Second

// watched runs a watcher over a folder and gives what it applies and logs.
func watched(t *testing.T, file string) (*configs.Watcher, <-chan *configs.Config, *observer.ObservedLogs) {
	t.Helper()
	core, logs := observer.New(zapcore.InfoLevel)
	cfg := load(t, file, time.Now())
	w, applied := run(t, configs.NewWatcher(file, cfg, environment, zap.New(core)), nil)
	return w, applied, logs
}

// watchedQuietly is watched without the file system's notices: a goroutine that
// waits for them would keep the bubble's clock from moving. What try refuses is
// not applied.
func watchedQuietly(t *testing.T, file string, try func(*configs.Config) error) (*configs.Watcher, <-chan *configs.Config, *observer.ObservedLogs) {
	t.Helper()
	core, logs := observer.New(zapcore.InfoLevel)
	cfg := load(t, file, time.Now())
	w, applied := run(t, configs.NewWatcher(file, cfg, environment, zap.New(core)).WithoutNotices(), try)
	return w, applied, logs
}

func run(t *testing.T, w *configs.Watcher, try func(*configs.Config) error) (*configs.Watcher, <-chan *configs.Config) {
	applied := make(chan *configs.Config, 10)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	apply := func(c *configs.Config) error {
		if try != nil {
			if err := try(c); err != nil {
				return err
			}
		}
		applied <- c
		return nil
	}
	go func() { done <- w.Run(ctx, apply) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("got %v from Run, want nil", err)
		}
	})
	return w, applied
}

func next(t *testing.T, applied <-chan *configs.Config) *configs.Config {
	t.Helper()
	select {
	case c := <-applied:
		return c
	case <-time.After(patience):
		t.Fatal("the change was not applied")
		return nil
	}
}

// future is the small sale at a time that is always ahead of the clock.
var future = strings.ReplaceAll(smallSale, "2026-11-27", "2098-11-27")

func TestWatcherFollowsFiles(t *testing.T) {
	t.Parallel()
	file := folder(t, smallOperator, map[string]string{"a.yaml": future})
	sales := filepath.Join(filepath.Dir(file), "sales")
	_, applied, _ := watched(t, file)

	write(t, filepath.Join(sales, "a.yaml"), strings.ReplaceAll(future, "stock: 100", "stock: 200"))
	if got := next(t, applied).Sales[0].Stock; got != 200 {
		t.Errorf("written in place: got stock %d, want 200", got)
	}
	write(t, filepath.Join(sales, ".new"), strings.ReplaceAll(future, "stock: 100", "stock: 300"))
	if err := os.Rename(filepath.Join(sales, ".new"), filepath.Join(sales, "a.yaml")); err != nil {
		t.Fatal(err)
	}
	if got := next(t, applied).Sales[0].Stock; got != 300 {
		t.Errorf("renamed over: got stock %d, want 300", got)
	}
	write(t, filepath.Join(sales, "b.yaml"), strings.NewReplacer("golden", "silver").Replace(future))
	if got := len(next(t, applied).Sales); got != 2 {
		t.Errorf("new file: got %d sales, want 2", got)
	}
	write(t, file, smallOperator+"limits: off\n")
	if !next(t, applied).Limits.Device.Buy.Off {
		t.Error("operator's file: got limits on, want off")
	}
}

// TestWatcherFollowsRoots: who vouches is part of the configuration, under the name
// that it has had before, too.
func TestWatcherFollowsRoots(t *testing.T) {
	t.Parallel()
	file := folder(t, strings.Replace(smallOperator, "origin: {", "origin: {ca_root: root.pem, ", 1), nil)
	w, applied, _ := watched(t, file)
	for _, text := range []string{"one", "another"} {
		write(t, filepath.Join(filepath.Dir(file), "root.pem"), text)
		w.Reload()
		next(t, applied)
	}
}

// TestWatcherFollowsLinks: Kubernetes mounts a folder of links into ..data,
// itself a link that is swapped.
func TestWatcherFollowsLinks(t *testing.T) {
	t.Parallel()
	file := folder(t, smallOperator, nil)
	sales := filepath.Join(filepath.Dir(file), "sales")
	write(t, filepath.Join(sales, "..first", "a.yaml"), future)
	write(t, filepath.Join(sales, "..second", "a.yaml"), strings.ReplaceAll(future, "stock: 100", "stock: 200"))
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(sales, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("..first", "..data")
	link(filepath.Join("..data", "a.yaml"), "a.yaml")
	_, applied, _ := watched(t, file)
	link("..second", "..next")
	if err := os.Rename(filepath.Join(sales, "..next"), filepath.Join(sales, "..data")); err != nil {
		t.Fatal(err)
	}
	if got := next(t, applied).Sales[0].Stock; got != 200 {
		t.Errorf("got stock %d, want 200", got)
	}
}

// minute is long enough for several looks, and not at the instant of one.
const minute = time.Minute + time.Second

// TestWatcherRefuses: a bad file and a forbidden change alter nothing, and each
// is logged once with all its faults. In the bubble the file system tells
// nothing, so this is also the test of looking now and then.
func TestWatcherRefuses(t *testing.T) {
	t.Parallel()
	file := folder(t, smallOperator, map[string]string{"a.yaml": future})
	synctest.Test(t, func(t *testing.T) {
		w, applied, logs := watchedQuietly(t, file, nil)
		write(t, file, smallOperator+"limts: off\nlisten: {https: x}\n")
		time.Sleep(minute)
		refused := logs.FilterMessage("configuration refused, the running one stays in force").All()
		if len(refused) != 1 || len(applied) != 0 {
			t.Fatalf("got %d logs and %d configurations after a bad file, want 1 and 0", len(refused), len(applied))
		}
		if faults := refused[0].ContextMap()["faults"].([]any); len(faults) != 2 {
			t.Errorf("got %d faults, want 2: %v", len(faults), faults)
		}
		write(t, file, smallOperator+"data_dir: elsewhere\n")
		time.Sleep(minute)
		if got := logs.FilterMessage("configuration refused, the running one stays in force").Len(); got != 2 || len(applied) != 0 {
			t.Errorf("got %d logs and %d configurations after a forbidden change, want 2 and 0", got, len(applied))
		}
		w.Reload()
		synctest.Wait()
		if got := logs.FilterMessage("configuration refused, the running one stays in force").Len(); got != 3 {
			t.Errorf("got %d logs after Reload, want 3: who asks gets an answer", got)
		}
		write(t, file, smallOperator+"limits: off\n")
		time.Sleep(minute)
		if len(applied) != 1 {
			t.Errorf("got %d configurations after a good file, want 1", len(applied))
		}
	})
}

// early is a run soon after the midnight at which these tests begin: files are looked at
// every few seconds until it is over.
const early = "repeat: every day 02:00\n"

var earlyIsOver = time.Date(2000, 1, 1, 3, 10, 0, 0, time.UTC)

// TestWatcherTurnsRuns: a repeating sale's next run is applied when the last
// hold of the one before has run out, with no file touched.
func TestWatcherTurnsRuns(t *testing.T) {
	t.Parallel()
	file := folder(t, smallOperator, map[string]string{"a.yaml": repeating(early)})
	synctest.Test(t, func(t *testing.T) { // begins at midnight UTC, 1 January 2000
		_, applied, _ := watchedQuietly(t, file, nil)
		over := earlyIsOver
		time.Sleep(time.Until(over) - time.Second)
		if len(applied) != 0 {
			t.Fatalf("got %d configurations before the run is over, want 0", len(applied))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(applied) != 1 {
			t.Fatalf("got %d configurations when the run is over, want 1", len(applied))
		}
		if got, want := (<-applied).Sales[0].Key, "golden-toy@2000-01-02T01:00Z"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// TestWatcherOffersAgain: a configuration that the program cannot take is not
// the running one. The reason is logged once, and it is taken as soon as it can
// be, with no file touched.
func TestWatcherOffersAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, sale, message string
		change              func(file string)
	}{
		{"a changed file", future, "configuration not applied, the running one stays in force",
			func(file string) { write(t, file, smallOperator+"limits: off\n") }},
		{"a next run", repeating(early), "next run of a repeating sale not applied",
			func(string) { time.Sleep(time.Until(earlyIsOver)) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := folder(t, smallOperator, map[string]string{"a.yaml": test.sale})
			synctest.Test(t, func(t *testing.T) {
				var broken atomic.Bool
				broken.Store(true)
				_, applied, logs := watchedQuietly(t, file, func(*configs.Config) error {
					if broken.Load() {
						return errors.New("no such certificate")
					}
					return nil
				})
				test.change(file)
				time.Sleep(minute)
				said := logs.FilterMessage(test.message).All()
				if len(said) != 1 || len(applied) != 0 {
					t.Fatalf("got %d logs and %d configurations while it cannot be taken, want 1 and 0", len(said), len(applied))
				}
				if got, want := said[0].ContextMap()["error"], "no such certificate"; got != want {
					t.Errorf("got cause %v, want %s", got, want)
				}
				broken.Store(false)
				time.Sleep(minute)
				if len(applied) != 1 {
					t.Errorf("got %d configurations when it can be taken, want 1", len(applied))
				}
			})
		})
	}
}

// TestWatcherSaysWhatChanged: a change names its keys, and one that was asked for and
// finds none says that.
func TestWatcherSaysWhatChanged(t *testing.T) {
	t.Parallel()
	file := folder(t, smallOperator, map[string]string{"a.yaml": future})
	sales := filepath.Join(filepath.Dir(file), "sales")
	w, applied, logs := watched(t, file)
	keys := func(n int) (all []string) { // of the nth change
		lines := logs.FilterMessage("configuration changed").All()
		if len(lines) <= n {
			return nil
		}
		got, _ := lines[n].ContextMap()["keys"].([]any)
		for _, key := range got {
			all = append(all, key.(string))
		}
		return all
	}
	for n, test := range []struct {
		file, text string
		want       []string
	}{
		{filepath.Join(sales, "a.yaml"), strings.ReplaceAll(future, "stock: 100", "stock: 200"), []string{"golden-toy: stock"}},
		{file, smallOperator + "limits: {address: {join: 5/s}, body: 1MiB}\n", []string{"limits.address.join", "limits.body"}},
		{file, smallOperator + "# of no matter\nlimits: {address: {join: 5/s}, body: 2MiB}\n", []string{"limits.body"}},
		{filepath.Join(sales, "a.yaml"), strings.ReplaceAll(future, "stock: 100", "stock: 200") + "\nshed: {line_per_unit: 3}\n", []string{"golden-toy: shed.line_per_unit"}},
		{filepath.Join(sales, "a.yaml"), strings.ReplaceAll(future, "stock: 100", "stock: 200") + "\nshed: off\n", []string{"golden-toy: shed"}},
		{filepath.Join(sales, "a.yaml"), strings.ReplaceAll(future, "stock: 100", "stock: 200") + "\nshed: {certainty: 0.9}\n", []string{"golden-toy: shed"}},
		{filepath.Join(sales, "b.yaml"), strings.ReplaceAll(future, "golden", "silver"), []string{"silver-toy (new)"}},
	} {
		write(t, test.file, test.text)
		next(t, applied)
		var got []string
		for stop := time.Now().Add(patience); len(got) == 0 && time.Now().Before(stop); time.Sleep(time.Millisecond) {
			got = keys(n)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("got the keys %q, want %q", got, test.want)
		}
	}
	for stop := time.Now().Add(patience); logs.FilterMessage("files read again, nothing has changed").Len() == 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(stop) {
			t.Fatal("nothing is said of a look that found no change")
		}
		w.Reload()
	}
}
