package cache

import (
	"net/http"
	"slices"
	"testing"
	"time"
)

// FuzzDirectives: whatever a field says, nothing of it makes an answer live longer
// or reach further than the same field with a no-store behind it, and a lifetime is
// never negative.
func FuzzDirectives(f *testing.F) {
	for _, seed := range []string{"max-age=60, public", `no-cache="set-cookie, x", s-maxage="10"`, `x="a\"`, `private=",",max-age =1`, "max-age=-1", "\x00=,;"} {
		f.Add(seed, "max-age=1;x, no-store", "10")
	}
	f.Fuzz(func(t *testing.T, cc, surrogate, age string) {
		now := time.Unix(1e9, 0)
		h := http.Header{"Cache-Control": {cc}, "Surrogate-Control": {surrogate}, "Age": {age}, "Etag": {`"a"`}}
		v := judge(question{}, http.StatusOK, h, now, "Waitroom-")
		l := v.life
		if l.fresh < 0 || l.fresh > mostSeconds*time.Second || l.whileRevalidate < 0 || l.ifError < 0 || initialAge(h, exchange{now, now}) < 0 {
			t.Errorf("%q, %q, %q: %+v", cc, surrogate, age, l)
		}
		h["Cache-Control"] = []string{cc, "no-store"}
		if judge(question{}, http.StatusOK, h, now, "Waitroom-").keep {
			t.Errorf("%q and no-store is kept", cc)
		}
		d := parseDirectives([]string{cc})
		for _, name := range d.fields {
			if name == "" {
				t.Errorf("%q names an empty field", cc)
			}
		}
	})
}

// FuzzRange: spans lie in the body, in no greater number and sum than allowed.
func FuzzRange(f *testing.F) {
	for _, seed := range []string{"bytes=0-1", "bytes=-5,0-", "bytes=9999999999999999999-", "bytes= 1-2 ,, 3-", "bytes=--", "a=b"} {
		f.Add(seed, int64(10))
	}
	f.Fuzz(func(t *testing.T, value string, size int64) {
		if size < 0 {
			return
		}
		spans, ok := parseRange(value, size)
		sum := int64(0)
		for _, s := range spans {
			sum += s.to - s.from
			if s.from < 0 || s.from >= s.to || s.to > size {
				t.Errorf("%q of %d: %+v", value, size, s)
			}
		}
		if len(spans) > mostSpans || sum > size || !ok && spans != nil {
			t.Errorf("%q of %d: %d spans of %d bytes, %v", value, size, len(spans), sum, ok)
		}
	})
}

// FuzzAccept: what was chosen was granted, and is there.
func FuzzAccept(f *testing.F) {
	for _, seed := range []string{"gzip, br;q=0.5", "*;q=0", "identity;q=0, *", "gzip;q=NaN", ";q=1", "br;q=1e3"} {
		f.Add(seed, true, true)
	}
	f.Fuzz(func(t *testing.T, accept string, br, gzip bool) {
		w := parseAccept([]string{accept})
		for _, q := range append(w.coded[:], w.plain) {
			if q < 0 || q > 1000 {
				t.Errorf("%q: a weight of %d", accept, q)
			}
		}
		has := func(coding string) bool { return coding == "br" && br || coding == "gzip" && gzip }
		if c := w.choose(has); c != "" && (!has(c) || w.coded[slices.Index(codings, c)] == 0) {
			t.Errorf("%q: chose %s", accept, c)
		}
	})
}

// TestLifetime: how long answers live, by what they say (RFC 9111, 4.2.1).
func TestLifetime(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 11, 26, 10, 0, 0, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, test := range []struct {
		h    http.Header
		want lifetime
	}{
		{http.Header{}, lifetime{}},
		{http.Header{"Cache-Control": {"max-age=60"}}, lifetime{fresh: time.Minute, explicit: true}},
		{http.Header{"Cache-Control": {`max-age="60"`}}, lifetime{fresh: time.Minute, explicit: true}},
		{http.Header{"Cache-Control": {"max-age='60'"}}, lifetime{explicit: true}},
		{http.Header{"Cache-Control": {"max-age=99999999999999999999"}}, lifetime{fresh: mostSeconds * time.Second, explicit: true}},
		{http.Header{"Cache-Control": {"max-age=60, max-age=30"}}, lifetime{fresh: 30 * time.Second, explicit: true}},
		{http.Header{"Cache-Control": {"max-age=60, s-maxage=10"}}, lifetime{fresh: 10 * time.Second, explicit: true, shared: true}},
		{http.Header{"Cache-Control": {"no-cache, max-age=60, stale-if-error=9"}}, lifetime{explicit: true}},
		{http.Header{"Cache-Control": {"max-age=1, stale-if-error=9, stale-while-revalidate=8"}}, lifetime{time.Second, 8 * time.Second, 9 * time.Second, true, false}},
		{http.Header{"Cache-Control": {"max-age=1, stale-if-error=9, proxy-revalidate"}}, lifetime{fresh: time.Second, explicit: true}},
		{http.Header{"Expires": {at(time.Minute)}, "Date": {at(0)}}, lifetime{fresh: time.Minute, explicit: true}},
		{http.Header{"Expires": {at(time.Minute)}, "Date": {at(30 * time.Second)}}, lifetime{fresh: 30 * time.Second, explicit: true}},
		{http.Header{"Expires": {at(time.Minute)}, "Date": {"x"}}, lifetime{fresh: time.Minute, explicit: true}},
		{http.Header{"Expires": {at(time.Minute), at(time.Second)}}, lifetime{fresh: time.Second, explicit: true}},
		{http.Header{"Expires": {"0"}}, lifetime{explicit: true}},
		{http.Header{"Surrogate-Control": {"max-age=60"}, "Cache-Control": {"max-age=1"}}, lifetime{fresh: time.Minute, explicit: true, shared: true}},
		{http.Header{"Surrogate-Control": {"max-age=60;other"}, "Cache-Control": {"max-age=1"}}, lifetime{fresh: time.Second, explicit: true}},
	} {
		if got := newLifetime(http.StatusOK, test.h, parseDirectives(test.h["Cache-Control"]), now); got != test.want {
			t.Errorf("%v: got %+v, want %+v", test.h, got, test.want)
		}
	}
}

// TestAgeOnArrival: how old answers are when they come (RFC 9111, 4.2.3).
func TestAgeOnArrival(t *testing.T) {
	t.Parallel()
	asked := time.Date(2027, 11, 26, 10, 0, 0, 0, time.UTC)
	came := asked.Add(2 * time.Second)
	for _, test := range []struct {
		h    http.Header
		want time.Duration
	}{
		{http.Header{}, 2 * time.Second}, // what was on its way is counted
		{http.Header{"Age": {"10"}}, 12 * time.Second},
		{http.Header{"Age": {"x"}}, mostSeconds * time.Second},
		{http.Header{"Age": {"1", "2"}}, mostSeconds * time.Second},
		{http.Header{"Age": {"99999999999999999999"}}, (mostSeconds + 2) * time.Second},
		{http.Header{"Date": {came.Add(-time.Minute).Format(http.TimeFormat)}}, time.Minute},
		{http.Header{"Date": {came.Add(time.Minute).Format(http.TimeFormat)}, "Age": {"1"}}, 3 * time.Second},
	} {
		if got := initialAge(test.h, exchange{asked, came}); got != test.want {
			t.Errorf("%v: got %v, want %v", test.h, got, test.want)
		}
	}
}
