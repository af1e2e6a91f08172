package main

import "math"

// line moves the head much as queueing does, see lua/tick.lua, without its care for
// losses and clocks; a test walks both.
type line struct {
	rate, burst   float64
	places        float64
	spread        float64 // seconds over which the pages look at the draw
	head          float64
	tokens        float64
	lead          float64
	waiting       float64
	denied, lost  float64
	filled, moved float64 // seconds after the opening
}

func newLine(s sale) *line {
	return &line{rate: s.rate, burst: max(3, s.rate/10), places: float64(s.line), lead: 5. / 3,
		spread: min(max(float64(s.line)/1e5, 1), 8)}
}

func (l *line) fill(now float64) {
	all := l.tokens + l.rate*(now-l.filled)
	l.tokens, l.filled = min(all, l.burst), now
	l.lost += all - l.tokens
}

// claim takes a token, or says after how many seconds to ask again.
func (l *line) claim(now float64) (again float64, ok bool) {
	if l.fill(now); l.tokens >= 1 {
		l.tokens--
		return 0, true
	}
	again = max(1, 1/l.rate)
	l.denied += again
	return again, false
}

// tick moves the head, if the line calls.
func (l *line) tick(now float64, calling bool) {
	l.fill(now)
	dt := now - l.moved
	l.moved = now
	if dt <= 0 {
		return
	}
	unit := max(1, 1/l.rate)
	l.waiting += (l.denied/dt - l.waiting) * (1 - math.Exp(-dt/unit))
	idle := min(1, l.lost/(l.rate*dt))
	l.denied, l.lost = 0, 0
	if !calling {
		return
	}
	step := min(dt, 2)
	aim := min(max(math.Pow(0.01, -1/l.burst)-1, 0.5), 5)
	short := max(-5, aim-l.waiting/(l.rate*unit))
	trust, wave := 1.0, 0.0
	if now < l.spread {
		wave = l.spread + 1
	}
	if now < 3.2 {
		trust = 0
	} else if now < 3.2+l.spread {
		trust = 0.3
	}
	if trust < 1 {
		idle, short = idle*trust, min(short, 0)
	}
	learn := 0.02
	if short < 0 {
		learn = 0.05
	}
	if grow := learn*short/unit + 1.5*idle; l.head < l.places || grow < 0 {
		l.lead = min(max(l.lead*(1+grow*step), 1), 20)
	}
	ahead := l.rate * l.lead * wave
	if wave == 0 {
		ahead = l.head + l.rate*l.lead*max(idle, 1+short/5)*step
	}
	l.head = min(max(l.head, ahead), l.places)
}
