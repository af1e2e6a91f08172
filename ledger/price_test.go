package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

// costs gives the sale a price, and opens it.
func (s *shop) costs(price string) {
	s.Helper()
	s.sale.Price = money(s.TB, price)
	s.open()
}

func money(t testing.TB, text string) configs.Money {
	t.Helper()
	m, err := configs.ParseMoney(text)
	check(t, err)
	return m
}

// reprice gives it another one, as if the doors were still closed.
func (s *shop) reprice(price configs.Money) {
	s.Helper()
	s.sale.Price = price
	check(s.TB, s.books.Early(s.Context(), s.sale.Key))
	check(s.TB, s.keep(s.Context()))
}

// said reports a payment in the words of a body's fields behind the id, and
// returns the answer as "code status".
func (s *shop) said(reservation, payment, fields string) string {
	s.Helper()
	if fields != "" {
		fields = "," + fields
	}
	code, body := s.ask("POST", "/v1/orders/"+reservation+"/paid", `{"payment_id":"`+payment+`"`+fields+`}`)
	if status, ok := body["status"]; ok {
		return fmt.Sprint(code, " ", status)
	}
	return fmt.Sprint(code)
}

// wantStatus compares how the shop sees an order.
func (s *shop) wantStatus(reservation, want string) {
	s.Helper()
	if code, body := s.ask("GET", "/v1/orders/"+reservation, ""); code != 200 || body["status"] != want {
		s.Errorf("order %s: got %d %v, want %s", reservation, code, body["status"], want)
	}
}

func TestPaymentIsHeldToThePrice(t *testing.T) {
	const paid, back, none = "200 paid", "409 refund_due", "409"
	cases := []struct{ price, fields, want string }{
		{"19.90 EUR", `"amount":19.90,"currency":"EUR"`, paid},
		{"19.90 EUR", `"amount":"19.9","currency":"eur"`, paid},
		{"19.90 EUR", `"amount":19.9000,"currency":"EUR"`, paid},
		{"19.90 EUR", `"amount":"19.90"`, paid}, // what is not said is not compared
		{"19.90 EUR", `"currency":"EUR"`, paid},
		{"19.90 EUR", ``, paid},
		{"19.90 EUR", `"amount":19.91,"currency":"EUR"`, back},
		{"19.90 EUR", `"amount":19.89,"currency":"EUR"`, back},
		{"19.90 EUR", `"amount":19.9001,"currency":"EUR"`, back},
		{"19.90 EUR", `"amount":1990,"currency":"EUR"`, back}, // minor units, by mistake
		{"19.90 EUR", `"amount":19,"currency":"EUR"`, back},
		{"19.90 EUR", `"amount":199999999999999999.9,"currency":"EUR"`, back},
		{"19.90 EUR", `"amount":19.90,"currency":"USD"`, back},
		{"19.90 EUR", `"currency":"USD"`, back},
		{"19.90 EUR", `"amount":0,"currency":"EUR"`, none}, // no money came
		{"19.90 EUR", `"amount":"0.00"`, none},
		{"19 EUR", `"amount":19,"currency":"EUR"`, paid},
		{"1900 JPY", `"amount":1900.00,"currency":"JPY"`, paid},
		{"1900 JPY", `"amount":19.00,"currency":"JPY"`, back},
		{"0.290 KWD", `"amount":0.29,"currency":"KWD"`, paid},
	}
	each(t, len(cases), func(s *shop) {
		s.open()
		for i, c := range cases {
			s.reprice(money(s.TB, c.price))
			id := s.buy(fmt.Sprint("account", i))
			for range 2 { // the same notice gets the same answer
				if got := s.said(id, fmt.Sprint("p", i), c.fields); got != c.want {
					s.Errorf("%s, %s: got %s, want %s", c.price, c.fields, got, c.want)
				}
			}
			refunds := 0
			if c.want == back {
				refunds = 1
			}
			s.wantCount(refunds, `SELECT COUNT(*) FROM refunds WHERE reservation_id = $1 AND reason = 'wrong amount'`, id)
			s.wantCount(refunds, `SELECT COUNT(*) FROM journal WHERE reservation_id = $1 AND cause = 'refund_due'`, id)
			if c.want != paid { // the order waits for the right money
				s.wantStatus(id, "held")
				if got := s.said(id, fmt.Sprint("then", i), ""); got != paid {
					s.Errorf("%s, then the right one: got %s, want %s", c.fields, got, paid)
				}
			}
			s.wantNote(id, gate.Paid)
		}
		s.wantCounts(0, len(cases))
		s.wantLeft(0)
		s.wantAgree()
	})
}

// The price is of one unit.
func TestPaymentForSeveralUnits(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.costs("19.90 EUR")
		id := uuid.NewString()
		s.forge(winner(id, "ann", "3"))
		s.drain()
		code, body := s.ask("GET", "/v1/orders/"+id, "")
		if code != 200 || body["amount"] != "59.70" || body["currency"] != "EUR" {
			s.Errorf("what the order costs: got %d %v, want 59.70 EUR", code, body)
		}
		code, body = s.ask("POST", "/v1/orders/"+id+"/paid", `{"payment_id":"p1","amount":19.90,"currency":"EUR"}`)
		if text := fmt.Sprint(body["error"]); code != 409 || !strings.Contains(text, "59.70 EUR is right") || !strings.Contains(text, "due back") {
			s.Errorf("for one of three units: got %d %s", code, text)
		}
		if got := s.said(id, "p2", `"amount":59.7,"currency":"EUR"`); got != "200 paid" {
			s.Errorf("for all: got %s, want 200 paid", got)
		}
		s.wantCounts(0, 3)
	})
}

// Wherever an order stands, wrong money takes no unit, moves nothing and is due
// back once.
func TestWrongAmountMovesNothing(t *testing.T) {
	const wrong = `"amount":5,"currency":"EUR"`
	each(t, 9, func(s *shop) {
		s.costs("19.90 EUR")
		paid, expired, cancelled, held := s.buy("paid"), s.buy("expired"), s.buy("cancelled"), ""
		s.wantPaid(paid, "p-paid", 200, "paid")
		s.ask("POST", "/v1/orders/"+cancelled+"/cancel", "")
		s.expire()
		held = s.buy("held")
		early, err := s.reserve("early")
		check(s.TB, err)
		for _, c := range []struct{ name, id, want, status string }{
			{"paid", paid, "409 refund_due", "paid"},
			{"expired", expired, "409 refund_due", "refund_due"},
			{"cancelled", cancelled, "409 refund_due", "refund_due"},
			{"held", held, "409 refund_due", "held"},
			{"early", early, "202 finishing", "finishing"},
		} {
			for range 2 {
				if got := s.said(c.id, "w-"+c.name, wrong); got != c.want {
					s.Errorf("%s: got %s, want %s", c.name, got, c.want)
				}
			}
			s.wantStatus(c.id, c.status)
		}
		s.drain() // what was early is judged now
		s.wantStatus(early, "held")
		if got := s.said(early, "w-early", wrong); got != "409 refund_due" {
			s.Errorf("early, afterwards: got %s, want 409 refund_due", got)
		}
		s.wantCount(5, `SELECT COUNT(*) FROM refunds WHERE reason = 'wrong amount'`)
		s.wantCount(0, `SELECT COUNT(*) FROM early_payments`)
		s.wantCounts(2, 1)
		s.sweep()
		s.wantNote(expired, gate.RefundDue)
		s.wantNote(held, gate.Held)
		s.wantLeft(6)
		s.wantAgree()

		// Who paid wrongly and never paid right is told of the money.
		s.expire()
		s.wantNote(held, gate.RefundDue)
		s.wantPaid(expired, "p-expired", 200, "paid") // late, right, and a unit is left
		s.wantNote(expired, gate.Paid)
		s.wantCounts(0, 2)
		s.wantAgree()
	})
}

// A notice of no money that came early is forgotten, and does not come up at
// every sweep.
func TestEarlyNoticeOfNoMoney(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.costs("19.90 EUR")
		id, err := s.reserve("ann")
		check(s.TB, err)
		if got := s.said(id, "p1", `"amount":0,"currency":"EUR"`); got != "202 finishing" {
			s.Errorf("early: got %s, want 202 finishing", got)
		}
		s.drain()
		s.wantCount(0, `SELECT COUNT(*) FROM early_payments`)
		s.wantCount(0, `SELECT COUNT(*) FROM refunds`)
		s.wantPaid(id, "p1", 200, "paid") // the id is free for what did come
		s.wantCounts(0, 1)
	})
}

// An order costs what it cost when it was written, whatever the file says later.
func TestOrderKeepsItsPrice(t *testing.T) {
	each(t, 9, func(s *shop) {
		s.costs("19.90 EUR")
		old := s.buy("old")
		s.reprice(money(s.TB, "24.90 EUR"))
		dear := s.buy("dear")
		s.reprice(configs.Money{})
		free := s.buy("free")
		for _, c := range []struct{ name, id, fields, want string }{
			{"new price for the old order", old, `"amount":24.90`, "409 refund_due"},
			{"old price for the new order", dear, `"amount":19.90`, "409 refund_due"},
			{"old price for the old order", old, `"amount":19.90`, "200 paid"},
			{"new price for the new order", dear, `"amount":24.90`, "200 paid"},
			{"anything where no price is known", free, `"amount":0.01,"currency":"JPY"`, "200 paid"},
		} {
			if got := s.said(c.id, c.name, c.fields); got != c.want {
				s.Errorf("%s: got %s, want %s", c.name, got, c.want)
			}
		}
		s.wantCounts(0, 3)
	})
}
