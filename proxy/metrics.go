package proxy

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the edge's counters. Their labels are constants, sale ids and
// status codes: nothing that a client chooses.
type metrics struct {
	requests *prometheus.CounterVec
	entries  *prometheus.CounterVec
	invited  *prometheus.CounterVec
	passes   *prometheus.CounterVec
	holds    *prometheus.CounterVec
	left     *prometheus.GaugeVec
	entered  *prometheus.GaugeVec
	head     *prometheus.GaugeVec
	closed   *prometheus.GaugeVec
	ticks    *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "waitroom", Name: name, Help: help}, labels)
	}
	gauge := func(name, help string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "waitroom", Name: name, Help: help}, []string{"sale"})
	}
	m := &metrics{
		requests: counter("requests_total", "Requests by what was decided and the status code.", "decision", "status"),
		entries:  counter("entries_total", "Tickets given.", "sale"),
		invited:  counter("invited_total", "Tickets given for an invitation, again for each time that it is opened anew.", "sale"),
		passes:   counter("passes_total", "Passes claimed.", "sale"),
		holds:    counter("holds_total", "Units reserved; again: a repeated request that found its hold.", "sale", "again"),
		left:     gauge("stock_left", "Units that can be taken now."),
		entered:  gauge("entered", "Entry numbers given, over all edges."),
		head:     gauge("head", "Places called, over all edges."),
		closed:   gauge("gate_closed", "1 while the gate is missing, older or being rebuilt."),
		ticks:    counter("ticks_total", "Looks at line and gate, by outcome.", "sale", "outcome"),
	}
	reg.MustRegister(m.requests, m.entries, m.invited, m.passes, m.holds, m.left, m.entered, m.head, m.closed, m.ticks)
	return m
}

func (m *metrics) request(decision string, status int) {
	m.requests.WithLabelValues(decision, strconv.Itoa(status)).Inc()
}
func (m *metrics) entry(sale string)  { m.entries.WithLabelValues(sale).Inc() }
func (m *metrics) invite(sale string) { m.invited.WithLabelValues(sale).Inc() }
func (m *metrics) pass(sale string)   { m.passes.WithLabelValues(sale).Inc() }
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
	m.left.WithLabelValues(d.sale.ID).Set(float64(b.gate.Left))
	m.entered.WithLabelValues(d.sale.ID).Set(float64(b.line.Entered))
	m.head.WithLabelValues(d.sale.ID).Set(float64(b.line.Head))
	closed := 0.0
	if !b.gate.Open() {
		closed = 1
	}
	m.closed.WithLabelValues(d.sale.ID).Set(closed)
}
