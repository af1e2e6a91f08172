package proxy

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/waitroom/waitroom/proxy/listen"
)

// connMetrics tell how many connections there are, and which bounds were met.
type connMetrics struct {
	open       atomic.Pointer[listen.Connections] // nil: there is none yet
	turnedAway *prometheus.CounterVec
	there      *prometheus.Desc
	room       *prometheus.Desc
}

func newConnMetrics(reg prometheus.Registerer) *connMetrics {
	n := &connMetrics{
		turnedAway: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "waitroom", Name: "connections_refused_total",
			Help: "Connections that were refused, or went for others, by the bound that was met."}, []string{"bound"}),
		there: prometheus.NewDesc("waitroom_connections", "Connections by what they do.", []string{"state"}, nil),
		room:  prometheus.NewDesc("waitroom_connections_room", "Connections that there may be.", nil, nil),
	}
	reg.MustRegister(n, n.turnedAway)
	return n
}

// watch shows the connections of a server from now on.
func (n *connMetrics) watch(open *listen.Connections) { n.open.Store(open) }

// turnAway counts a connection that met a bound.
func (n *connMetrics) turnAway(bound string) { n.turnedAway.WithLabelValues(bound).Inc() }

// Describe is the collector's.
func (n *connMetrics) Describe(to chan<- *prometheus.Desc) { to <- n.there; to <- n.room }

// Collect counts when somebody asks.
func (n *connMetrics) Collect(to chan<- prometheus.Metric) {
	open := n.open.Load()
	if open == nil {
		return
	}
	now := open.Numbers()
	for state, count := range map[string]int{
		"handshake": max(0, now.Handshake-now.Waiting), "waiting": now.Waiting, "served": now.Served, "idle": now.Idle, "closed": now.Closed,
	} {
		to <- prometheus.MustNewConstMetric(n.there, prometheus.GaugeValue, float64(count), state)
	}
	to <- prometheus.MustNewConstMetric(n.room, prometheus.GaugeValue, float64(now.Room))
}
