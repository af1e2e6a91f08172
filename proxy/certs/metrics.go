package certs

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics have domains of the configuration for labels, and nothing that a client
// chooses.
type metrics struct {
	expires *prometheus.GaugeVec
	failed  *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	m := &metrics{
		expires: prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "waitroom", Name: "certificate_expires_timestamp_seconds",
			Help: "When the certificate that is served for a domain runs out; 0: there is none."}, []string{"domain"}),
		failed: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "waitroom", Name: "certificate_orders_failed_total",
			Help: "Orders at the ACME server that this edge made in vain."}, []string{"domain"}),
	}
	reg.MustRegister(m.expires, m.failed)
	return m
}

// served tells what is served by now, in the place of another set; nil: none.
func (m *metrics) served(s, last *set) {
	if last != nil {
		for _, d := range last.domains {
			if !slices.Contains(s.domains, d) {
				m.expires.DeleteLabelValues(d)
				m.failed.DeleteLabelValues(d)
			}
		}
	}
	for _, d := range s.domains {
		var at float64
		if fit := s.named(d); len(fit) > 0 {
			at = float64(fit[0].Leaf.NotAfter.Unix())
		}
		m.expires.WithLabelValues(d).Set(at)
	}
}
