package proxy

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// TestRecovered: a fault of ours is a 500, an abort on purpose is passed on, and
// each is one record.
func TestRecovered(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		thrown   any
		decision string
		status   int64
		passedOn bool
	}{
		{"fault", errors.New("x"), "panic", http.StatusInternalServerError, false},
		{"uncomparable fault", []int{1}, "panic", http.StatusInternalServerError, false},
		{"abort", http.ErrAbortHandler, "aborted", 0, true},
	} {
		core, logs := observer.New(zap.InfoLevel)
		e := &Edge{log: zap.New(core), metrics: newMetrics(prometheus.NewRegistry(), nil)}
		w := httptest.NewRecorder()
		passed := func() (passed any) {
			defer func() { passed = recover() }()
			e.guarded(w, httptest.NewRequest(http.MethodGet, "/", nil), func(http.ResponseWriter, *record) { panic(test.thrown) })
			return nil
		}()
		if (passed == any(http.ErrAbortHandler)) != test.passedOn {
			t.Errorf("%s: %v was passed on", test.name, passed)
		}
		records := logs.FilterMessage("request").All()
		if len(records) != 1 || records[0].ContextMap()["decision"] != test.decision || records[0].ContextMap()["status"] != test.status {
			t.Errorf("%s: the records are %v, want one of %s with %d", test.name, records, test.decision, test.status)
		}
	}
}
