package rehearsal

import (
	"context"
	"slices"
	"strconv"
	"time"
)

// Report is what a rehearsal tells. Instants are Unix milliseconds, null where it
// did not come to that.
type Report struct {
	Sale     string `json:"sale"`
	Title    string `json:"title"`
	Shoppers int    `json:"shoppers"`
	Seed     uint64 `json:"seed"`
	Stock    int    `json:"stock"`
	Rate     string `json:"rate"`

	Doors         stamp `json:"doors"`
	Draw          stamp `json:"draw"`
	FirstAdmitted stamp `json:"first_admitted"`
	AllHeld       stamp `json:"all_held"`
	SoldOut       stamp `json:"sold_out"` // for good: all are paid
	LastTold      stamp `json:"last_told"`
	Closes        stamp `json:"closes"`

	Entered            int `json:"entered"`
	Drawn              int `json:"drawn"`
	HopelessAtOnce     int `json:"hopeless_at_once"` // at the first look after the draw, or on entering
	HopelessLater      int `json:"hopeless_later"`
	CalledBack         int `json:"called_back"`     // of them: there was a chance again, or their turn after all
	CalledBackGot      int `json:"called_back_got"` // of those: got a unit after all
	PlacesCalled       int `json:"places_called"`   // whoever stands there: conversion is of these
	ToldSoldOut        int `json:"told_sold_out"`
	ToldEnded          int `json:"told_ended"`
	Admitted           int `json:"admitted"`
	AdmittedForNothing int `json:"admitted_for_nothing"` // wanted to buy, and all was held or sold
	Denied             int `json:"denied"`               // claims that met an empty bucket
	Reserved           int `json:"reserved"`
	Lapsed             int `json:"lapsed"`
	Bought             int `json:"bought"`
	NoShows            int `json:"no_shows"`  // away when called
	CameBack           int `json:"came_back"` // closed the page and opened it again
	MissedUsed         int `json:"missed_turns_used"`
	Unanswered         int `json:"unanswered"`

	Wait       Waits   `json:"wait"`
	PassesMost int     `json:"passes_max_1s"`
	Bound      float64 `json:"passes_bound_1s"`
	AskedMax   float64 `json:"longest_ask_s"` // from the first claim to the pass

	StatusPeak  Peak  `json:"status_polls_peak"`
	PrivatePeak Peak  `json:"private_requests_peak"`
	StatusSum   int64 `json:"status_polls"`
	PrivateSum  int64 `json:"private_requests"`

	Advice []string `json:"advice"`
	Checks []Check  `json:"checks"`

	waits []time.Duration
	zone  *time.Location
}

// Waits are how long those who were admitted waited: from the draw, or from
// pressing after it, to the pass. In seconds.
type Waits struct {
	P50 float64 `json:"p50_s"`
	P90 float64 `json:"p90_s"`
	P99 float64 `json:"p99_s"`
}

// stamp is a moment in a report; zero: it never came.
type stamp moment

// MarshalJSON writes Unix milliseconds, or null.
func (s stamp) MarshalJSON() ([]byte, error) {
	if s == 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(s)/1000, 10), nil
}

func clock(m moment) string { return m.time().UTC().Format("15:04:05.000") }

func (r *Report) admit(now moment, waited time.Duration) {
	if r.FirstAdmitted == 0 {
		r.FirstAdmitted = stamp(now)
	}
	r.Admitted++
	r.waits = append(r.waits, waited)
}

func (r *Report) held(now moment) {
	if r.AllHeld == 0 {
		r.AllHeld = stamp(now)
	}
}

func (r *Report) lastTold(now moment) { r.LastTold = max(r.LastTold, stamp(now)) }

// Kept reports whether all promises were kept.
func (r *Report) Kept() bool {
	return !slices.ContainsFunc(r.Checks, func(c Check) bool { return !c.Kept })
}

// finish makes up the accounts.
func (p *play) finish(ctx context.Context) (*Report, error) {
	p.moved = true
	if err := p.observe(ctx); err != nil {
		return nil, err
	}
	r := &p.report
	r.Sale, r.Title, r.zone = p.sale.ID, p.sale.Title, p.sale.Zone
	r.Shoppers, r.Seed = p.o.Shoppers, p.o.Seed
	r.Stock, r.Rate = p.sale.Stock, p.sale.Admit.String()
	r.Doors, r.Draw, r.Closes = stamp(when(p.sale.Doors)), stamp(p.draw), stamp(when(p.sale.Closes))
	r.ToldSoldOut, r.ToldEnded = p.told[toldSoldOut], p.told[toldEnded]
	r.PlacesCalled = int(p.line.Head) //nolint:gosec // within the crowd
	for i := range p.crowd {
		s := &p.crowd[i]
		if !p.checks.answered(s) {
			r.Unanswered++
		}
		if s.passed && s.answer != noAnswer {
			r.AdmittedForNothing++
		}
	}
	slices.Sort(r.waits)
	r.Wait = Waits{p.share(0.5), p.share(0.9), p.share(0.99)}
	r.PassesMost, r.Bound, r.AskedMax = p.checks.most, p.checks.bound(), p.checks.longest.Seconds()
	r.StatusPeak, r.PrivatePeak = p.load.peak(&p.load.polls), p.load.peak(&p.load.requests)
	r.StatusSum, r.PrivateSum = p.load.polls.total(), p.load.requests.total()
	r.Checks = p.checks.list[:]
	r.Advice = r.advise(p.sale)
	return r, nil
}

// share is the wait that a share of those admitted did not exceed.
func (p *play) share(of float64) float64 {
	if len(p.report.waits) == 0 {
		return 0
	}
	i := min(int(of*float64(len(p.report.waits))), len(p.report.waits)-1)
	return p.report.waits[i].Seconds()
}
