package proxy

import (
	"cmp"
	"maps"
	"strconv"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/waitroom/waitroom/proxy/cache"
	"github.com/waitroom/waitroom/proxy/places"
)

// metrics are the edge's counters. Their labels are constants, sale ids and
// status codes: nothing that a client chooses.
type metrics struct {
	requests *prometheus.CounterVec
	decided  atomic.Pointer[map[outcome]prometheus.Counter] // of requests
	refused  *prometheus.CounterVec
	limited  *prometheus.CounterVec
	entries  *prometheus.CounterVec
	invited  *prometheus.CounterVec
	passes   *prometheus.CounterVec
	holds    *prometheus.CounterVec
	suspect  *prometheus.CounterVec
	checks   *prometheus.CounterVec
	left     *prometheus.GaugeVec
	entered  *prometheus.GaugeVec
	head     *prometheus.GaugeVec
	closed   *prometheus.GaugeVec
	overdue  *prometheus.GaugeVec
	unused   *prometheus.GaugeVec
	ticks    *prometheus.CounterVec
	kept     map[cache.Outcome]prometheus.Counter
	places   *placeMetrics
	conns    *connMetrics

	armed, active, waiting *prometheus.GaugeVec // of rooms
}

// newMetrics are those of an edge, whose places at the origin sight shows once it serves.
func newMetrics(reg prometheus.Registerer, sight func() places.Sight) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "waitroom", Name: name, Help: help}, labels)
	}
	gauge := func(name, help string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "waitroom", Name: name, Help: help}, []string{"sale"})
	}
	m := &metrics{
		kept:     map[cache.Outcome]prometheus.Counter{},
		conns:    newConnMetrics(reg),
		places:   newPlaceMetrics(sight),
		requests: counter("requests_total", "Requests by what was decided and the status code.", "decision", "status"),
		refused:  counter("requests_refused_total", "Requests that were not let through, by what was wrong with their form.", "reason"),
		limited:  counter("requests_limited_total", "Requests that were answered with 429, by the limit that they were above.", "limit"),
		entries:  counter("entries_total", "Tickets given.", "sale"),
		invited:  counter("invited_total", "Tickets given for an invitation, again for each time that it is opened anew.", "sale"),
		passes:   counter("passes_total", "Passes claimed.", "sale"),
		holds:    counter("holds_total", "Units reserved; again: a repeated request that found its hold.", "sale", "again"),
		suspect:  counter("suspicious_total", "Wishes for a ticket that did not show what is asked, by what was wrong.", "sale", "reason"),
		checks:   counter("checks_total", "Answers that a check was asked about: good, check_failed, or check_away where it did not answer.", "outcome"),
		left:     gauge("stock_left", "Units that can be taken now."),
		entered:  gauge("entered", "Entry numbers given, over all edges."),
		head:     gauge("head", "Places called, over all edges."),
		closed:   gauge("gate_closed", "1 while the gate is missing, older or being rebuilt."),
		overdue:  gauge("draw_overdue", "1 while the lottery is closed and the draw waits for its public value."),
		unused:   gauge("passes_unused", "Passes that may still be used where match_stock bounds them, over all edges."),
		ticks:    counter("ticks_total", "Looks at line and gate, by outcome.", "sale", "outcome"),
		armed:    gauge("room_armed", "1 while there is a line before the room."),
		active:   gauge("room_active", "Shoppers inside, where max_active bounds them, over all edges."),
		waiting:  gauge("room_waiting", "Shoppers in line who were not called yet, over all edges."),
	}
	m.decided.Store(&map[outcome]prometheus.Counter{})
	kept := counter("cache_requests_total", "Requests that the cache had to do with, by what became of them.", "outcome")
	for _, o := range cache.Outcomes {
		m.kept[o] = kept.WithLabelValues(string(o))
	}
	reg.MustRegister(kept)
	reg.MustRegister(m.armed, m.active, m.waiting)
	reg.MustRegister(m.requests, m.refused, m.limited, m.entries, m.invited, m.suspect, m.checks, m.passes, m.holds, m.left, m.entered, m.head, m.closed, m.overdue, m.unused, m.ticks)
	return m
}

func (m *metrics) cached(o cache.Outcome) { m.kept[o].Inc() }

// outcome is a decision and the status code that went with it.
type outcome struct {
	decision string
	status   int
}

// request counts one. There are as many counters as there are constants of the program,
// and each is looked up once.
func (m *metrics) request(decision string, status int) {
	of := outcome{decision, status}
	one, ok := (*m.decided.Load())[of]
	if !ok {
		one = m.requests.WithLabelValues(decision, strconv.Itoa(status))
		m.learn(of, one)
	}
	one.Inc()
}

func (m *metrics) learn(of outcome, one prometheus.Counter) {
	for {
		known := m.decided.Load()
		all := maps.Clone(*known)
		all[of] = one
		if m.decided.CompareAndSwap(known, &all) {
			return
		}
	}
}

func (m *metrics) refuse(reason string) { m.refused.WithLabelValues(reason).Inc() }
func (m *metrics) limit(name string)    { m.limited.WithLabelValues(name).Inc() }
func (m *metrics) entry(sale string)    { m.entries.WithLabelValues(sale).Inc() }
func (m *metrics) invite(sale string)   { m.invited.WithLabelValues(sale).Inc() }
func (m *metrics) suspicious(sale string, f finding) {
	m.suspect.WithLabelValues(sale, string(f)).Inc()
}
func (m *metrics) checked(f finding) { m.checks.WithLabelValues(cmp.Or(string(f), "good")).Inc() }
func (m *metrics) pass(sale string)  { m.passes.WithLabelValues(sale).Inc() }
func (m *metrics) hold(sale string, again bool) {
	m.holds.WithLabelValues(sale, strconv.FormatBool(again)).Inc()
}

func (m *metrics) ticked(d *door, err error) {
	if err != nil {
		m.ticks.WithLabelValues(d.sale.ID, "error").Inc()
		return
	}
	m.ticks.WithLabelValues(d.sale.ID, "ok").Inc()
	b := d.board.Load()
	m.left.WithLabelValues(d.sale.ID).Set(float64(b.gate.Offered()))
	m.entered.WithLabelValues(d.sale.ID).Set(float64(b.line.Entered))
	m.head.WithLabelValues(d.sale.ID).Set(float64(b.line.Head))
	m.closed.WithLabelValues(d.sale.ID).Set(oneIf(!b.gate.Open()))
	m.overdue.WithLabelValues(d.sale.ID).Set(oneIf(b.line.Overdue()))
	if d.sale.MatchStock {
		m.unused.WithLabelValues(d.sale.ID).Set(float64(b.line.Unused))
	}
}

func oneIf(so bool) float64 {
	if so {
		return 1
	}
	return 0
}

func (m *metrics) roomTicked(r *room, err error) {
	id := r.cfg.ID
	if err != nil {
		m.ticks.WithLabelValues(id, "error").Inc()
		return
	}
	m.ticks.WithLabelValues(id, "ok").Inc()
	p := r.placard.Load()
	m.entered.WithLabelValues(id).Set(float64(p.line.Entered))
	m.head.WithLabelValues(id).Set(float64(p.line.Head))
	m.armed.WithLabelValues(id).Set(oneIf(p.line.Armed))
	m.active.WithLabelValues(id).Set(float64(p.line.Active))
	m.waiting.WithLabelValues(id).Set(float64(p.waiting()))
}

// forget takes away what is said of rooms that are gone.
func (m *metrics) forget(last, now map[string]*room) {
	for id := range last {
		if now[id] == nil {
			for _, g := range []*prometheus.GaugeVec{m.armed, m.active, m.waiting, m.entered, m.head} {
				g.DeleteLabelValues(id)
			}
		}
	}
}
