package ledger_test

import (
	"context"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/ledger"
)

// TestNoticeMisspelt: an amount under another name would not be compared. What is
// not like a name of ours is the shop's own.
func TestNoticeMisspelt(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.costs("19.90 EUR")
		id := s.buy("ann")
		for _, c := range []struct{ fields, want string }{
			{`"amuont":"0.01"`, "400"},
			{`"Amount":"0.01"`, "400"},
			{`"amounts":"0.01"`, "400"},
			{`"amount":"19.90","curency":"JPY"`, "400"},
			{`"reservation-":"x"`, "400"},
			{`"amount":"19.90","amounts":1,"account":"ann","count":1,"amount_received":"1","currency_rate":1,"livemode":true`, "200 paid"},
		} {
			if got := s.said(id, "p1", c.fields); got != c.want {
				s.Errorf("%s: got %s, want %s", c.fields, got, c.want)
			}
		}
		code, body := s.ask("POST", "/v1/orders/"+id+"/paid", `{"paymentId":"p2"}`)
		if want := `"paymentId": did you mean payment_id?`; code != 400 || body["error"] != want {
			s.Errorf("got %d %v, want 400 %s", code, body, want)
		}
	})
}

// TestNoticeUnchecked: notices that say no amount are counted where there is a
// price to hold them to, and only there.
func TestNoticeUnchecked(t *testing.T) {
	each(t, 3, func(s *shop) {
		registry := prometheus.NewRegistry()
		gateOf := func(context.Context, string) (*gate.Gate, error) { return s.gate, nil }
		w, err := ledger.NewWorker(s.section, []*configs.Sale{s.sale}, s.books, gateOf, registry, s.log)
		check(s.TB, err)
		s.worker, s.api = w, ledger.NewAPI(w, s.section.Token)
		s.keep = w.Keeper(s.sale.Key)
		s.costs("19.90 EUR")
		s.wantPaid(s.buy("ann"), "p1", 200, "paid") // with an amount
		unchecked := func() string {
			families, err := registry.Gather()
			check(s.TB, err)
			for _, f := range families {
				if f.GetName() == "waitroom_ledger_payments_unchecked_total" {
					return f.String()
				}
			}
			return ""
		}
		if got := unchecked(); got != "" {
			s.Errorf("with an amount: got %s, want no count", got)
		}
		if got := s.said(s.buy("bob"), "p2", ""); got != "200 paid" {
			s.Errorf("without an amount: got %s", got)
		}
		if got := unchecked(); !strings.Contains(got, "value:1") {
			s.Errorf("without an amount: got %q, want a count of 1", got)
		}
	})
}
