package ledger

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are counted by the sale's id, never by run, account or reservation.
type metrics struct {
	written     *prometheus.CounterVec
	settled     *prometheus.CounterVec // every other verdict
	expired     *prometheus.CounterVec
	released    *prometheus.CounterVec
	payments    *prometheus.CounterVec
	unchecked   *prometheus.CounterVec
	refundsSent *prometheus.CounterVec
	refundsDue  prometheus.Gauge
	backlog     *prometheus.GaugeVec
	batch       prometheus.Histogram
	rebuilds    *prometheus.CounterVec
	lost        *prometheus.CounterVec
	differences *prometheus.GaugeVec
	mended      *prometheus.CounterVec
	failures    *prometheus.CounterVec
}

func newMetrics(registry prometheus.Registerer) (*metrics, error) {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "waitroom", Subsystem: "ledger", Name: name, Help: help}, labels)
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "waitroom", Subsystem: "ledger", Name: name, Help: help}, labels)
	}
	m := &metrics{
		written:     counter("orders_written_total", "Winners that became orders.", "sale"),
		settled:     counter("winners_settled_total", "Winners that became no new order, by what became of them.", "sale", "reason"),
		expired:     counter("orders_expired_total", "Orders that were not paid in time.", "sale"),
		released:    counter("orders_released_total", "Ended orders whose units went back to the gate.", "sale"),
		payments:    counter("payments_total", "Notices of payments that were decided or asked for again, by what became of the money: paid, refund_due, wrong where it was not what the order costs, or unknown where nobody knows the reservation.", "sale", "outcome"),
		unchecked:   counter("payments_unchecked_total", "Notices that said no amount, though the order has a price: nothing was compared.", "sale"),
		refundsSent: counter("refunds_sent_total", "Refunds that the shop has taken.", "sale"),
		refundsDue:  prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "waitroom", Subsystem: "ledger", Name: "refunds_due", Help: "Refunds that the shop has not taken yet."}),
		backlog:     gauge("backlog", "Winners that are not in the books yet.", "sale"),
		batch: prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: "waitroom", Subsystem: "ledger", Name: "batch_seconds",
			Help: "From a batch of winners to its acknowledgement.", Buckets: prometheus.ExponentialBuckets(0.001, 2, 14)}),
		rebuilds:    counter("gate_rebuilds_total", "Gates built from the books.", "sale"),
		lost:        counter("gate_lost_total", "Gates found missing, closed or older after they had been built.", "sale"),
		differences: gauge("reconcile_differences", "Differences between books and gate at the last look.", "sale"),
		mended:      counter("reconcile_mended_total", "Differences that were mended.", "sale"),
		failures:    counter("step_failures_total", "Steps that failed and are tried again.", "step"),
	}
	var faults []error
	for _, c := range []prometheus.Collector{
		m.written, m.settled, m.expired, m.released, m.payments, m.unchecked, m.refundsSent, m.refundsDue, m.backlog,
		m.batch, m.rebuilds, m.lost, m.differences, m.mended, m.failures,
	} {
		faults = append(faults, registry.Register(c))
	}
	return m, errors.Join(faults...)
}

// payment counts a notice that was decided, for an order that was there before.
func (m *metrics) payment(o order, p payment, out outcome) {
	sale := saleID(o.Sale)
	m.payments.WithLabelValues(sale, string(out)).Inc()
	if o.Price.IsSet() && p.Amount == "" {
		m.unchecked.WithLabelValues(sale).Inc()
	}
}

// verdict counts a winner that became no new order in its batch.
func (m *metrics) verdict(sale string, v verdict) {
	if v == written {
		m.written.WithLabelValues(sale).Inc()
		return
	}
	m.settled.WithLabelValues(sale, string(v)).Inc()
}
