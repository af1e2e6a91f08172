package shedding

import "time"

const (
	// A place that was called has had its time when there was stock for so long
	// without a break: to find out, to claim, and to buy.
	ripens = 90 * time.Second

	// For so long nobody has looked that nothing is known of the time between.
	gap = 10 * time.Second

	// Counts that went back stay back for so long before all begins anew: a look may
	// come late, and be older than the one before.
	doubts = 5 * time.Second

	// Those who are called later may come and buy four times as often.
	drift = 4

	// Units that come back take up to so many times as many places to sell as those
	// that were there from the beginning: the line calls up to so many times as fast
	// while one lies there (LEAD over PRIOR of tick.lua), and whoever sees it first, of
	// all who were ever called, takes it. docs/tail.md derives it.
	haste = 12

	// Once the stock has run out, so many seconds' worth of passes count as called
	// that took nothing: whoever is told then is told by what was seen since.
	lull = 6

	// The error of an upper bound of a share, which makes nobody hopeless.
	mild = 0.05
)

// mark is where a sale stood at a moment.
type mark struct{ head, won, lapsed uint64 }

func (s Sight) mark() mark { return mark{s.Head, s.Won, s.Lapsed} }

// standing are the orders that were not given back.
func (m mark) standing() uint64 { return m.won - min(m.won, m.lapsed) }

// before reports whether m can have come before another mark: counts only grow.
func (m mark) before(o mark) bool {
	return m.head <= o.head && m.won <= o.won && m.lapsed <= o.lapsed
}

// learned is what a sale has told of its shoppers so far.
type learned struct {
	at   uint64 // Unix milliseconds of the last look; 0: there was none
	last mark
	back uint64 // since when looks are behind the last one, in Unix milliseconds; 0: they are not

	base mark // nothing before it counts
	out  mark // when the stock ran out for the first time; zero: it has not

	since    uint64 // the stock has not run out since, in Unix milliseconds; 0: nothing is left
	ripening uint64 // places that were called by then
	ripe     uint64 // places that have had their time
}

// next takes another look into account. ok is false where it is older than the last
// one, or so it seems: then nothing but that is learned.
func (l learned) next(s Sight) (_ learned, ok bool) {
	now, seen := uint64(max(s.Now.UnixMilli(), 1)), s.mark()
	behind := l.at > 0 && !l.last.before(seen)
	switch {
	case l.at == 0 && s.Won == 0: // the whole sale is before us
	case behind && (l.back == 0 || now < l.back):
		l.back = now
		return l, false
	case behind && now-l.back < uint64(doubts.Milliseconds()):
		return l, false
	case l.at == 0, behind:
		l = learned{at: now, last: seen, base: seen, ripe: s.Head}
	}
	// A look may come a little late. A clock that was put back is followed.
	if now > l.at+uint64(gap.Milliseconds()) || now+uint64(gap.Milliseconds()) < l.at {
		l.at, l.since = now, 0
	}
	if s.Left == 0 && l.out == (mark{}) {
		l.out = seen
	}
	l.ripen(now, s)
	l.at, l.last, l.back = max(l.at, now), seen, 0
	return l, true
}

// ripen lets places have their time while there is stock.
func (l *learned) ripen(now uint64, s Sight) {
	switch {
	case s.Left == 0:
		l.since = 0
	case l.since == 0:
		l.since, l.ripening = now, s.Head
	case now-min(now, l.since) >= uint64(ripens.Milliseconds()):
		l.ripe = max(l.ripe, l.ripening)
		l.since, l.ripening = now, s.Head
	}
}

// converts are two shares of those who are yet to be called who end with a unit that
// they pay for. Both are what was learned of all who were called so far, but no less
// than the file says, unless that is refuted by those who had their time; a twelfth of
// it is sure, since most places take none of what comes back although they would, and
// likely is as much more as people may buy more often.
func (l learned) converts(terms Terms, s Sight, risk float64) (sure, likely float64) {
	called := float64(s.Head-l.base.head) + float64(terms.Invitations)
	if l.base.head > 0 {
		called += float64(s.racing()) // some of those who buy now were called before
	}
	orders := (s.Paid + terms.most() - 1) / terms.most()
	paid := float64(orders) - float64(l.base.standing())
	sure = min(max(terms.Conversion, atLeast(called, paid, risk)), l.keeps()) / haste
	likely = sure * drift
	if l.out != (mark{}) {
		sure = min(sure, l.contended(lull*s.Rate))
		likely = min(likely, l.contended(0)*drift)
	}
	return sure, likely
}

// keeps is an upper bound of the share of those called who end with a unit, or hold
// one.
func (l learned) keeps() float64 {
	// Of what lapsed since, so much may have been won before.
	lapsed := l.last.lapsed - l.base.lapsed
	lapsed -= min(lapsed, l.base.standing())
	return l.atMost(float64(l.last.won - l.base.won - lapsed))
}

// takes is an upper bound of the share of those called who take a unit, whether
// they keep it or not.
func (l learned) takes() float64 { return l.atMost(float64(l.last.won - l.base.won)) }

// atMost is an upper bound of a share of those who had their time, of whom so many
// did it at the most.
func (l learned) atMost(successes float64) float64 {
	return atMost(float64(l.ripe)-float64(l.base.head), successes, mild)
}

// contended is the share of those called who take a unit since the stock ran out for
// the first time. What comes back then is taken by whoever sees it first, of all who
// were ever called, while the head goes on; so a place takes nothing although it
// would. idle is how many more places are taken to have been called.
func (l learned) contended(idle float64) float64 {
	// One more on either side: before anything came back nothing is known.
	return float64(l.last.won-l.out.won+1) / (float64(l.last.head-l.out.head) + idle + 1)
}
