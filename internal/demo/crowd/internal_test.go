package crowd

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

func TestMaxWithin(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		instants []int64
		want     int
	}{
		{nil, 0},
		{[]int64{5}, 1},
		{[]int64{0, 1000}, 1}, // a window's end is outside it
		{[]int64{0, 999}, 2},
		{[]int64{1500, 0, 2000, 900, 1600}, 3}, // in any order
		{[]int64{7, 7, 7, 7}, 4},
	} {
		if got := maxWithin(test.instants, 1000); got != test.want {
			t.Errorf("%v: got %d, want %d", test.instants, got, test.want)
		}
	}
}

func TestSummarize_NearestRank(t *testing.T) {
	t.Parallel()
	all := make([]time.Duration, 200)
	for i := range all {
		all[i] = time.Duration(200 - i)
	}
	if got, want := summarize(all), (Latencies{Count: 200, P50: 100, P99: 198, Max: 200}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := summarize([]time.Duration{3}); got.P50 != 3 || got.P99 != 3 {
		t.Errorf("one: got %+v", got)
	}
}

func TestSource_IsOneEach(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i := range 200_000 {
		ip := source(i)
		if !ip.IsLoopback() || seen[ip.String()] {
			t.Fatalf("shopper %d: %v is not loopback or was used before", i, ip)
		}
		seen[ip.String()] = true
	}
	if seen["127.0.0.1"] {
		t.Error("a shopper has the edge's own address")
	}
}

func TestJar(t *testing.T) {
	t.Parallel()
	var j jar
	for _, set := range []string{"a=1; Path=/; Secure", "b=2", "a=3", "b=; Max-Age=0"} {
		j.keep(reply{header: http.Header{"Set-Cookie": {set}}})
	}
	if got := j.String(); got != "a=3" {
		t.Errorf("got %q, want a=3", got)
	}
	if !j.has("a") || j.has("b") {
		t.Errorf("got %v, want a without b", j)
	}
}

func TestReply_After(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, body, retry string
		want              time.Duration
	}{
		{"nothing", "", "", 2 * time.Second},
		{"field", "", "7", 7 * time.Second},
		{"body first", `{"poll_after_ms": 1500}`, "7", 1500 * time.Millisecond},
		{"never at once", `{"poll_after_ms": 1}`, "", 50 * time.Millisecond},
		{"never for ever", "", "86400", time.Minute},
		{"a field that is no number", "", "soon", 2 * time.Second},
	} {
		r := reply{body: []byte(test.body), header: http.Header{"Content-Type": {jsonType}, "Retry-After": {test.retry}}}
		if got := r.after(); got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestCause_IsShort(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("read answer: %w", io.ErrUnexpectedEOF), "cut off"},
		{fmt.Errorf("dial: %w", fmt.Errorf("127.0.0.1: %w", errors.New("refused"))), "refused"},
	} {
		if got := cause(test.err).Error(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
