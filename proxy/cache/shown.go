package cache

import (
	"net/http"
	"strconv"
	"time"
)

// Shown is what a page answers to one request, whole or with the word that it has not
// changed, as long as it says the same: its age is part of it.
type Shown struct {
	Status int
	Body   []byte // none of a 304

	cache   *Cache
	outcome Outcome
	form    *form
	age     int64 // in seconds
	told    string
}

// Look gives what the page answers at an instant; ok is false where it is to be fetched,
// or a part of it is asked for: see Serve. Count is for who gives it.
func (p *Page) Look(in *Asked, now time.Time) (s Shown, ok bool) {
	if now.UnixNano() < p.closed.Load() {
		return s, false
	}
	a := p.shown.Load()
	if a == nil || a.over(now) >= pageStale || len(in.Range) > 0 {
		return s, false
	}
	r := a.replyTo(in)
	if s = (Shown{Status: r.status, cache: p.cache, outcome: Stale, form: r.form, age: seconds(a.ageAt(now)), told: a.told(now)}); r.status != http.StatusNotModified {
		s.Body = r.form.body
	}
	if a.fresh(now) {
		s.outcome = Hit
	}
	return s, true
}

// Count counts that it was given; nothing was of the zero one.
func (s *Shown) Count() {
	if s.cache != nil {
		s.cache.count(s.outcome)
	}
}

// Same reports whether two say the same.
func (s *Shown) Same(as *Shown) bool {
	return s.form == as.form && s.Status == as.Status && s.age == as.age && s.told == as.told
}

// At reports whether two are of one page in the same second of its age.
func (s *Shown) At(as *Shown) bool { return s.age == as.age && s.told == as.told }

// Header is what it says before the body, but for how long that is.
func (s *Shown) Header() http.Header {
	h := s.form.header.Clone()
	h["Age"] = []string{strconv.FormatInt(s.age, 10)}
	if len(h["Cache-Status"]) == 0 {
		tell(h, s.told)
	}
	reply{status: s.Status, form: s.form}.content(h)
	delete(h, "Content-Length")
	return h
}
