package wiring_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
)

// logged counts the lines, and those that they say were left out, by a key of what
// they are.
func logged(t *testing.T, out []byte) (lines, leftOut map[string]int) {
	t.Helper()
	lines, leftOut = map[string]int{}, map[string]int{}
	for line := range bytes.Lines(out) {
		var l struct {
			Msg, Decision, Error string
			Status               int
			LeftOut              int `json:"left_out"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		key := l.Msg + l.Decision + l.Error
		lines[key]++
		leftOut[key] += l.LeftOut
	}
	return lines, leftOut
}

// TestLog_AFloodHidesNothing: of a hundred thousand pages a few thousand lines are
// written at most, and the rare fault, the other decision and the audit among them
// all; what was left out is counted to the line.
func TestLog_AFloodHidesNothing(t *testing.T) {
	t.Parallel()
	const pages = 100_000
	var out bytes.Buffer
	log := wiring.NewLogger(&out)
	request := func(decision string, status int, more ...zap.Field) {
		log.Named("proxy").Info("request", append(more, zap.Int("status", status), zap.String("decision", decision))...)
	}
	for i := range pages {
		request("page", 200)
		if i%1000 == 0 {
			request("panic", 500)
			request("origin", 502, zap.Error(errors.New("refused")))
			request("sold_out", 409)
			log.Info("audit", zap.String("action", "pause"))
			log.Warn("reserve failed")
		}
	}
	_ = log.Sync() // there is nothing below
	lines, leftOut := logged(t, out.Bytes())
	for _, whole := range []string{"requestpanic", "requestoriginrefused", "requestsold_out", "audit", "reserve failed"} {
		if lines[whole] != pages/1000 || leftOut[whole] != 0 {
			t.Errorf("%s: %d lines and %d left out, want all %d", whole, lines[whole], leftOut[whole], pages/1000)
		}
	}
	said := lines["requestpage"] + leftOut["requestpage"]
	if lines["requestpage"] > pages/10 || said != pages {
		t.Errorf("pages: %d lines that speak of %d left out, want few lines, and a sum of %d",
			lines["requestpage"], leftOut["requestpage"], pages)
	}
}

// TestOpenLog_NothingIsOwed: what was left out at the end of a flood is said a second
// or two later, though nothing like it comes any more, and at the end at the latest.
func TestOpenLog_NothingIsOwed(t *testing.T) {
	const pages = 250
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log, done := wiring.OpenLog(&out)
		said := func() int {
			lines, leftOut := logged(t, out.Bytes())
			return lines["requestpage"] + leftOut["requestpage"]
		}
		flood := func() {
			for range pages {
				log.Info("request", zap.Int("status", 200), zap.String("decision", "page"))
			}
		}
		flood()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := said(); got != pages {
			t.Errorf("two seconds later: %d are told of, want %d", got, pages)
		}
		flood()
		done()
		if got := said(); got != 2*pages {
			t.Errorf("at the end: %d are told of, want %d", got, 2*pages)
		}
	})
}

// TestLog_FaultsAreBoundedToo: a store that is away is not told of once a request.
func TestLog_FaultsAreBoundedToo(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := wiring.NewLogger(&out)
	for range 50_000 {
		log.Error("reserve failed", zap.Error(errors.New("away")))
	}
	lines, leftOut := logged(t, out.Bytes())
	if n := lines["reserve failedaway"]; n < 1000 || n > 10_000 || leftOut["reserve failedaway"] == 0 {
		t.Errorf("%d lines with %d left out, want a thousand a second and every hundredth", n, leftOut["reserve failedaway"])
	}
}

func BenchmarkLog_Record(b *testing.B) {
	log := wiring.NewLogger(discard{}).Named("proxy")
	b.ReportAllocs()
	for b.Loop() {
		log.Info("request", zap.String("method", "GET"), zap.String("path", "/toys/golden"), zap.Int("status", 200), zap.String("decision", "page"))
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// TestLog_FieldsAreTheCallers: who logs may use the fields again at once, also of a line
// that is told of later; and a line that is left out takes no memory.
func TestLog_FieldsAreTheCallers(t *testing.T) {
	var out bytes.Buffer
	log := wiring.NewLogger(&out).Named("proxy")
	var room [3]zap.Field
	request := func(path string) {
		if line := log.Check(zap.InfoLevel, "request"); line != nil {
			line.Write(append(room[:0], zap.String("path", path), zap.Int("status", 200), zap.String("decision", "page"))...)
		}
		room = [3]zap.Field{}
	}
	for range 500 {
		request("/kept")
	}
	if got := testing.AllocsPerRun(1000, func() { request("/kept") }); got >= 0.5 { // one in a hundred is written
		t.Errorf("a line that is left out takes %v allocations, want none", got)
	}
	_ = log.Sync() // there is nothing below
	for line := range bytes.Lines(out.Bytes()) {
		var l struct{ Path, Decision string }
		if err := json.Unmarshal(line, &l); err != nil || l.Path != "/kept" || l.Decision != "page" {
			t.Fatalf("a line says %s (%v)", line, err)
		}
	}
}

func BenchmarkLog_LeftOut(b *testing.B) {
	var out bytes.Buffer
	log := wiring.NewLogger(&out).Named("proxy")
	var room [9]zap.Field
	b.ReportAllocs()
	for b.Loop() {
		out.Reset()
		if line := log.Check(zap.InfoLevel, "request"); line != nil {
			line.Write(append(room[:0], zap.String("method", "GET"), zap.String("path", "/"), zap.String("proto", "HTTP/1.1"), zap.Int("status", 200),
				zap.Int64("bytes", 110), zap.Duration("took", time.Millisecond), zap.String("decision", "page"), zap.String("sale", "golden-toy"))...)
		}
	}
}
