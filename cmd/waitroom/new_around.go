package main

import (
	"regexp"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// around proposes a time around the opening, as a file writes it.
func (i *interview) around(d time.Duration) string {
	s := i.sale()
	if s.Repeat != "" {
		return configs.Short(d.Abs())
	}
	return i.written(s.Opens.Add(d))
}

// written is an instant as the sale's file writes it, with the distance from UTC where the
// hour is there twice.
func (i *interview) written(t time.Time) string {
	s := i.sale()
	t = t.In(s.Zone)
	text := t.Format("2006-01-02 15:04")
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
	d, ok := configs.MeantSpan(text)
	if !ok {
		hour, offset := text, ""
		if m := offsetBehind.FindStringSubmatch(text); m != nil {
			hour, offset = m[1], " "+m[2]
		}
		at, wall, is := hourBeside(hour, s.Opens.In(s.Zone), side)
		if is && s.Repeat == "" && i.written(at) != wall+offset {
			return key, wall + offset, nil // there twice, or not at all: the rules of files say how to write it
		}
		d, ok = at.Sub(s.Opens).Abs(), is && (offset == "" || s.Repeat == "")
	}
	switch {
	case ok && s.Repeat != "":
		return key, configs.Short(d), nil
	case ok:
		return key, i.written(s.Opens.Add(time.Duration(side) * d)), nil
	case s.Repeat != "":
		return key, text, nil
	}
	value, err := configs.MeantWhen(text, i.now.In(s.Zone))
	return key, value, err
}

// offsetBehind is an hour with its distance from UTC, as an hour that is there twice needs it.
var offsetBehind = regexp.MustCompile(`^(.*\d) ?([+-]\d{2}:\d{2})$`)

// hourBeside is the last time before the opening that its clocks show an hour, or the
// first after it, and how a file writes it.
func hourBeside(text string, opens time.Time, side int) (at time.Time, wall string, ok bool) {
	hour, ok := configs.MeantHour(text)
	if !ok {
		return time.Time{}, "", false
	}
	clock, _ := time.Parse("15:04", hour) // MeantHour writes no other
	at = time.Date(opens.Year(), opens.Month(), opens.Day(), clock.Hour(), clock.Minute(), 0, 0, opens.Location())
	switch {
	case side < 0 && at.After(opens):
		if at = at.AddDate(0, 0, -1); opens.Sub(at) > 12*time.Hour { // rather a slip than the day before
			return time.Time{}, "", false
		}
	case side > 0 && !at.After(opens):
		at = at.AddDate(0, 0, 1)
	}
	return at, at.Format(time.DateOnly) + " " + hour, true
}
