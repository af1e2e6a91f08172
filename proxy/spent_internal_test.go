package proxy

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
)

// TestPassIsKeptWhileTheGateIsSilent: what a pass got can only be learned from the
// gate. While it does not say, nobody's pass is given up for another one.
func TestPassIsKeptWhileTheGateIsSilent(t *testing.T) {
	t.Parallel()
	rdb := redis.NewClient(&redis.Options{})
	if err := rdb.Close(); err != nil { // so every call fails
		t.Fatal(err)
	}
	sale := &configs.Sale{ID: "toy", Key: "toy", MatchStock: true, PerAccount: 1, Zone: time.UTC}
	used := &queueing.Pass{Reservation: "r1"}
	v := &visit{
		house:   &house{log: zap.NewNop(), cfg: &configs.Config{}},
		r:       httptest.NewRequest(http.MethodPost, "/toys/golden/buy", nil),
		q:       &question{},
		door:    &door{sale: sale, gate: gate.New(rdb, sale.Key, 1), got: newHolders()},
		shopper: shopper{pass: used, ticket: &queueing.Ticket{}},
	}
	if in, err := v.admitted(); in || err == nil {
		t.Errorf("admitted: %t, %v, want an error", in, err)
	}
	for what, a := range map[string]answer{"a pass": v.givePass(), "a buy": v.admit(ask{qty: 1})} {
		if a.status != http.StatusServiceUnavailable || a.decision != "paused" || len(a.cookies) > 0 || v.shopper.pass != used {
			t.Errorf("%s: %d %s with %d cookies, want 503 paused, and the pass as it was", what, a.status, a.decision, len(a.cookies))
		}
	}
}
