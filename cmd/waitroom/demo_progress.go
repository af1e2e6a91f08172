package main

import (
	"io"
	"time"

	"github.com/waitroom/waitroom/internal/demo/crowd"
)

const (
	progressApart = 2 * time.Second  // lines, at least
	progressQuiet = 15 * time.Second // a line that says the same as the one before
)

// progress tells line by line how a demo goes on.
type progress struct {
	out   io.Writer
	opens time.Duration // from the beginning

	told  crowd.Tally
	phase string
	at    time.Duration
}

// hear prints a line, if there is something new for one.
func (p *progress) hear(t crowd.Tally, since time.Duration) {
	phase := "doors"
	if since >= p.opens {
		phase = "open"
	}
	apart := progressApart
	if t == p.told && phase == p.phase {
		apart = progressQuiet
	}
	if since-p.at < apart {
		return
	}
	p.told, p.phase, p.at = t, phase, since
	say(p.out, "%5.1fs %-5s in line %d, admitted %d, reserved %d, paid %d, told no %d, errors %d",
		since.Seconds(), phase, t.Entered, t.Admitted, t.Reserved, t.Paid, t.ToldNo, t.Errors)
}
