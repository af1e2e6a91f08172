package proxy

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/waitroom/waitroom/proxy/places"
)

// placeMetrics are those of the places at the origin. What they are like is asked for
// whenever metrics are read; how many found none is counted over all configurations.
type placeMetrics struct {
	turned [len(places.Classes)]atomic.Uint64
	look   func() places.Sight
}

func newPlaceMetrics(look func() places.Sight) *placeMetrics { return &placeMetrics{look: look} }

func (m *placeMetrics) refused(c places.Class) { m.turned[c].Add(1) }

var (
	placeLimit   = prometheus.NewDesc("waitroom_origin_limit", "Requests that may be at the origin at once now; 0: any number.", nil, nil)
	placeHere    = prometheus.NewDesc("waitroom_origin_requests", "Requests that are at the origin now.", nil, nil)
	placeWaiting = prometheus.NewDesc("waitroom_origin_waiting", "Requests that wait for a place at the origin, by what they are for.", []string{"class"}, nil)
	placeRefused = prometheus.NewDesc("waitroom_origin_refused_total", "Requests that found no place at the origin, by what they are for.", []string{"class"}, nil)
	placeSlower  = prometheus.NewDesc("waitroom_origin_slowdown", "How many times slower than usual the origin answered of late; 1: no slower.", nil, nil)
	placeTook    = prometheus.NewDesc("waitroom_origin_first_byte_seconds", "How long the origin takes to begin an answer, about.", nil, nil)
)

// Describe is for prometheus.
func (m *placeMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{placeLimit, placeHere, placeWaiting, placeRefused, placeSlower, placeTook} {
		to <- d
	}
}

// Collect is for prometheus.
func (m *placeMetrics) Collect(to chan<- prometheus.Metric) {
	s := m.look()
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	gauge(placeLimit, float64(s.Limit))
	gauge(placeHere, float64(s.Here))
	gauge(placeSlower, s.Slower)
	gauge(placeTook, s.Took.Seconds())
	for _, c := range places.Classes {
		gauge(placeWaiting, float64(s.Waiting[c]), c.String())
		to <- prometheus.MustNewConstMetric(placeRefused, prometheus.CounterValue, float64(m.turned[c].Load()), c.String())
	}
}
