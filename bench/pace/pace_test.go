package main

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// What is measured for two minutes, for some seconds: no window is above the
// bound. How close to the rate it comes hangs on the machine.
func TestRun(t *testing.T) {
	t.Parallel()
	var out, progress bytes.Buffer
	args := []string{"-door", "20/s", "-line", "300/s", "-seconds", "4s", "-away", "500ms", "-joins", "1000"}
	if err := run(t.Context(), args, &out, &progress); err != nil {
		t.Fatalf("%v\n%s%s", err, &progress, &out)
	}
	for _, want := range []string{
		`burst \| \d+ \| \d+`,
		`edges stopped and started \| [1-9]\d* \| [1-9]\d*`,
		`passes \| \d\d \| \d{3,4}`,
		`windows above the bound \| \*\*0\*\* \| \*\*0\*\*`,
	} {
		if !regexp.MustCompile(`(?m)^\| ` + want + ` \|$`).Match(out.Bytes()) {
			t.Errorf("no line like %s", want)
		}
	}
	if strings.Contains(out.String(), "were seen") {
		t.Error("a pass was given that nobody saw")
	}
	if t.Failed() {
		t.Logf("%s", &out)
	}
}

// Whichever edge dies, the others go on within a second: no edge leads.
func TestAnyEdgeMayDie(t *testing.T) {
	t.Parallel()
	const lasts, within = 3 * time.Second, time.Second
	o := options{absent: 0.4, joins: 1000, seconds: 3 * (lasts + 10*time.Second), programs: t.TempDir()}
	if err := build(t.Context(), o.programs); err != nil {
		t.Fatal(err)
	}
	s, err := openDoors(t.Context(), t, o, configs.Rate{Count: 20, Per: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	var crowd sync.WaitGroup
	crowd.Go(func() { s.crowd.run(ctx) })
	pause(ctx, time.Until(s.sale.Opens.Add(lasts)))
	var killed []time.Time
	for i, d := range s.doors.(*front).edges {
		d.Kill()
		killed = append(killed, time.Now())
		pause(ctx, lasts)
		if err := s.start(i); err != nil {
			t.Error(err)
		}
	}
	end()
	if err := s.close(); err != nil {
		t.Error(err)
	}
	crowd.Wait()
	p := sorted(s.crowd.passes)
	for i, at := range killed {
		if got := p.silence(at, at.Add(lasts)); got > within {
			t.Errorf("no pass for %v after edge %d was killed", got, i)
		}
	}
	if n := p.excess(20, s.stamp); n > float64(s.sale.Burst)+1e-3 {
		t.Errorf("%.2f passes beyond the rate, the burst is %d", n, s.sale.Burst)
	}
}

// silence is the longest time from one pass to the next between two instants,
// which count as passes.
func (p passes) silence(from, to time.Time) time.Duration {
	longest, last := int64(0), from.UnixMicro()
	for _, at := range p {
		if at > last && at < to.UnixMicro() {
			longest, last = max(longest, at-last), at
		}
	}
	return time.Duration(max(longest, to.UnixMicro()-last)) * time.Microsecond
}

func TestPasses(t *testing.T) {
	t.Parallel()
	ms := func(all ...int64) (p passes) {
		for _, at := range all {
			p = append(p, 1000*at)
		}
		return p
	}
	l := limit{rate: 2, burst: 1}
	for _, c := range []struct {
		name        string
		passes      passes
		most, above int
		excess      float64
	}{
		{"none", nil, 0, 0, 0},
		{"one", ms(5), 1, 0, 1},
		{"at the rate", ms(0, 500, 1000, 1500), 2, 0, 1},
		{"the burst is taken", ms(0, 0, 500, 1000), 3, 0, 2},
		{"the end does not belong to a window", ms(0, 0, 0, 1000), 3, 0, 3},
		{"four in a second", ms(0, 1, 2, 999, 3000), 4, 1, 2.996},
		{"twice four", ms(0, 0, 0, 0, 1000, 1000, 1000, 1000), 4, 2, 6},
		{"late in a calm time", ms(0, 5000, 10_000, 10_001, 10_002, 10_003), 4, 1, 3.994},
	} {
		w := c.passes.within(time.Second, l)
		if w.most != c.most || w.above != c.above || w.bound != 3 {
			t.Errorf("%s: got %+v, want most %d, above %d, bound 3", c.name, w, c.most, c.above)
		}
		if got := c.passes.excess(l.rate, 0); got < c.excess-1e-9 || got > c.excess+1e-9 {
			t.Errorf("%s: excess %v, want %v", c.name, got, c.excess)
		}
	}
	p := ms(1000, 1500, 3000)
	if got := p.count(time.UnixMilli(1000), time.UnixMilli(3000)); got != 2 {
		t.Errorf("counted %d, want 2", got)
	}
	for to, want := range map[int64]time.Duration{2000: 500, 2800: 1300, 4000: 1500, 9000: 6000} {
		if got := p.silence(time.UnixMilli(900), time.UnixMilli(to)); got != want*time.Millisecond {
			t.Errorf("silence until %d: got %v, want %v", to, got, want*time.Millisecond)
		}
	}
}

// A table with a window above the bound is an error, and is printed.
func TestPrint_Above(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	rate := configs.Rate{Count: 10, Per: time.Second}
	r := row{rate: rate, through: "the package", limit: limit{10, 1}, from: time.UnixMicro(0),
		lasted: time.Second, passes: passes{1, 2, 3, 4}, given: 5, redis: usage{lasted: time.Second}}
	if err := print(&out, []row{r}); !errors.Is(err, errAbove) {
		t.Errorf("got %v, want %v", err, errAbove)
	}
	for _, want := range []string{"| windows above the bound | **2** |", "the line counted 5 passes, 4 were seen"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

func TestParse_Refuses(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"-seconds 1ms", "-absent 1", "-joins 0", "-door 5", "-line fast", "-away -1s"} {
		if err := run(t.Context(), strings.Fields(args), t.Output(), t.Output()); err == nil || !strings.Contains(err.Error(), strings.Fields(args)[0]) {
			t.Errorf("%s: got %v, want an error that names the flag", args, err)
		}
	}
}

func TestWord(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	e := newEdge(nil, &out)
	want := word{kind: failed, place: 7, head: 9, at: time.UnixMicro(11), wait: 13 * time.Microsecond, err: errors.New("no route to host")}
	e.say(want)
	if err := e.out.Flush(); err != nil {
		t.Fatal(err)
	}
	got, err := readWord(strings.TrimSuffix(out.String(), "\n"))
	if err != nil || got.err == nil || got.err.Error() != want.err.Error() {
		t.Fatalf("got %+v, %v", got, err)
	}
	got.err, want.err = nil, nil
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if _, err := readWord("1 2"); err == nil {
		t.Error("half a word was read")
	}
}
