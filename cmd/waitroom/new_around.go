package main

import (
	"strings"
	"time"
)

// around proposes a time around the opening, as a file writes it.
func (i *interview) around(d time.Duration) string {
	s := i.sale()
	if s.Repeat != "" {
		return lengthOf(d.Abs())
	}
	return i.written(s.Opens.Add(d))
}

// written is an instant as the sale's file writes it, with the distance from UTC where the
// hour is there twice.
func (i *interview) written(t time.Time) string {
	s := i.sale()
	t = t.In(s.Zone)
	text := t.Format(fileTime)
	if t.Second() != 0 {
		text = t.Format(time.DateTime)
	}
	if at, err := s.Instant(text); err != nil || !at.Equal(t) {
		return text + t.Format(" -07:00")
	}
	return text
}

// aroundOpening reads when the doors open (side -1) or the sale closes (1): a day and its
// hour, an hour, or how long before or after the opening.
func (i *interview) aroundOpening(key, text string, side int) (string, string, error) {
	s := i.sale()
	if s.Zone == nil || s.Opens.IsZero() {
		return key, text, nil // the opening is at fault
	}
	d, ok := spanOf(text)
	if !ok {
		at, is := hourBeside(text, s.Opens.In(s.Zone), side)
		d, ok = at.Sub(s.Opens).Abs(), is
	}
	switch {
	case ok && s.Repeat != "":
		return key, lengthOf(d), nil
	case ok:
		return key, i.written(s.Opens.Add(time.Duration(side) * d)), nil
	case s.Repeat != "":
		return key, text, nil
	}
	value, err := understand(text, i.now.In(s.Zone))
	return key, value, err
}

// hourBeside is the last time before the opening that its clocks show an hour, or the
// first after it.
func hourBeside(text string, opens time.Time, side int) (time.Time, bool) {
	hour, rest, err := cutHour(strings.ToLower(strings.TrimSpace(text)))
	if err != nil || hour == "" || rest != "" {
		return time.Time{}, false
	}
	clock, _ := time.Parse("15:04", hour) // cutHour writes no other
	at := time.Date(opens.Year(), opens.Month(), opens.Day(), clock.Hour(), clock.Minute(), 0, 0, opens.Location())
	switch {
	case side < 0 && at.After(opens):
		if at = at.AddDate(0, 0, -1); opens.Sub(at) > 12*time.Hour { // rather a slip than the day before
			return time.Time{}, false
		}
	case side > 0 && !at.After(opens):
		at = at.AddDate(0, 0, 1)
	}
	return at, true
}
