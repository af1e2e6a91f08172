package shedding

import (
	"math"
	"time"
)

const (
	// A place that was called has had its time when there was stock for so long
	// without a break: to find out, to claim, and to buy.
	ripens = 90 * time.Second

	// For so long nobody has looked that nothing is known of the time between.
	gap = 10 * time.Second

	// Counts that went back stay back for so long before all begins anew: a look may
	// come late, and be older than the one before.
	doubts = 5 * time.Second

	// Of the orders of some time ago all are paid or given back when that is so many
	// holds ago: a worker may be late.
	settles = 1.25

	// Of those who pay, this many have not paid yet at each age of a hold, or more:
	// half of e^(-freshness × age / hold).
	freshness = 8

	// Those who are called later may come and buy a quarter as often.
	drift = 4

	// The head may come to move so many times as fast as it begins.
	haste = 12

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

	base         mark // nothing before it counts
	older, newer mark // when half of the places were called that are called now, or a little later

	out mark // when the stock ran out for the first time; zero: it has not

	since    uint64 // the stock has not run out since, in Unix milliseconds; 0: nothing is left
	ripening uint64 // places that were called by then
	ripe     uint64 // places that have had their time

	fresh uint64 // thousandths of orders that were won of late, each counting less with its age

	settling  uint64 // orders that were won
	settlesAt uint64 // when they are settled
	settled   uint64 // orders that are
}

// next takes another look into account. ok is false where it is older than the last
// one, or so it seems: then nothing but that is learned.
func (l learned) next(terms Terms, s Sight) (_ learned, ok bool) {
	now, seen := uint64(max(s.Now.UnixMilli(), 1)), s.mark()
	behind := l.at > 0 && !l.last.before(seen)
	switch {
	case l.at == 0 && s.Won == 0: // the whole sale is before us
	case behind && l.back == 0:
		l.back = now
		return l, false
	case behind && now-min(now, l.back) < uint64(doubts.Milliseconds()):
		return l, false
	case l.at == 0, behind:
		l = learned{at: now, last: seen, base: seen, older: seen, newer: seen, ripe: s.Head, settling: s.Won, settled: s.Won}
	}
	dt := time.Duration(now-min(now, l.at)) * time.Millisecond
	if now < l.at || dt > gap {
		l.since = 0
	}
	if s.Left == 0 && l.out == (mark{}) {
		l.out = seen
	}
	l.halve(seen)
	l.ripen(now, s)
	l.settle(now, dt, terms.Hold, s.Won)
	l.at, l.last, l.back = max(l.at, now), seen, 0
	return l, true
}

// halve keeps a mark of when half as many places were called.
func (l *learned) halve(seen mark) {
	if seen.head > 2*l.newer.head {
		l.older, l.newer = l.newer, seen
	}
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

// settle follows the orders: how fresh they are, and of how many all is known.
func (l *learned) settle(now uint64, dt, hold time.Duration, won uint64) {
	if hold <= 0 {
		return
	}
	kept := math.Exp(-freshness * dt.Seconds() / hold.Seconds())
	l.fresh = uint64(float64(l.fresh)*kept) + 1000*(won-min(won, l.last.won))
	if now >= l.settlesAt {
		l.settled = max(l.settled, l.settling)
		l.settling, l.settlesAt = won, now+uint64((time.Duration(settles*float64(hold))).Milliseconds())
	}
}

// converts are two lower bounds of the share of those who are yet to be called who
// end with a unit that they pay for. Both rest on what was learned of all who were
// called so far, but are no less than the file says, unless that is refuted by those
// who had their time, or by the later half of them. likely takes the future to be as
// the past; sure allows for one in which people come and buy far less, and for a line
// in which what comes back is taken by whoever sees it first.
func (l learned) converts(terms Terms, s Sight, risk float64) (sure, likely float64) {
	called := float64(s.Head-l.base.head) + float64(terms.Invitations)
	if l.base.head > 0 {
		called += float64(s.racing()) // some of those who buy now were called before
	}
	orders := (s.Paid + terms.most() - 1) / terms.most()
	paid := float64(orders) - float64(l.base.standing())
	atLeast := atLeast(called, paid, risk)
	sure, likely = max(terms.Conversion, atLeast/drift), max(terms.Conversion, atLeast)
	if atMost := min(l.atMostSince(l.base), l.atMostSince(l.older)); atMost < 1 {
		sure, likely = min(sure, atMost/2), min(likely, atMost)
	}
	if l.out != (mark{}) {
		sure = min(sure, l.contended(6*s.Rate)/haste)
		likely = min(likely, l.contended(0)*drift)
	}
	return sure, likely
}

// atMostSince is an upper bound of the share of those called since a mark who end
// with a unit.
func (l learned) atMostSince(m mark) float64 {
	ripe := float64(l.ripe) - float64(m.head)
	// Of what lapsed since, so much may have been won before.
	lapsed := l.last.lapsed - m.lapsed
	lapsed -= min(lapsed, m.standing())
	return atMost(ripe, float64(l.last.won-m.won-lapsed), mild)
}

// contended is the share of those called who take a unit since the stock ran out for
// the first time. What comes back then is taken by whoever sees it first, of all who
// were ever called, while the head goes on; so a place takes nothing although it
// would. before is how many places are taken to have been called before the first
// unit came back.
func (l learned) contended(before float64) float64 {
	return float64(l.last.won-l.out.won+1) / (float64(l.last.head-l.out.head) + before + 1)
}

// holders are those who have a unit and will keep it: surely so many of the fresh
// ones, at the share of settled orders that were kept; likely every second one.
func (l learned) holders(s Sight, risk float64) (sure, likely group) {
	orders := float64(l.settled - l.base.won)
	lapsed := float64(l.last.lapsed - l.base.lapsed)
	fresh := min(float64(l.fresh)/1000/2, float64(s.Held))
	return group{fresh, atLeast(orders, orders-lapsed, risk)}, group{float64(s.Held), 0.5}
}

// takes is an upper bound of the share of those called who take a unit, whether
// they keep it or not.
func (l learned) takes() float64 {
	return atMost(float64(l.ripe)-float64(l.base.head), float64(l.last.won-l.base.won), mild)
}
