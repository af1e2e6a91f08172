package ledger_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

func TestWinnerBecomesOrder(t *testing.T) {
	each(t, 2, func(s *shop) {
		s.open()
		id := s.buy("ann")
		s.wantNote(id, gate.Held)
		s.wantCounts(1, 0)
		s.wantLeft(1)
		if code, body := s.ask("GET", "/v1/orders/"+id, ""); code != 200 || body["status"] != "held" || body["account"] != "ann" {
			s.Errorf("order: got %d %v", code, body)
		}
		s.wantPaid(id, "p1", 200, "paid")
		s.wantNote(id, gate.Paid)
		s.wantCounts(0, 1)
		if a := s.wantAgree(); a.Paid != 1 || a.Left != 1 || a.InStream != 0 {
			s.Errorf("account: got %+v", a)
		}
		s.wantCount(3, `SELECT COUNT(*) FROM journal WHERE sale = $1`, s.sale.Key) // stock, held, paid
	})
}

func TestRedeliveryChangesNothing(t *testing.T) {
	each(t, 200, func(s *shop) {
		s.open()
		ids := make([]string, 200)
		for i := range ids {
			id, err := s.reserve(fmt.Sprint("account", i))
			check(s.TB, err)
			ids[i] = id
		}
		s.drain()
		s.wantPaid(ids[7], "p7", 200, "paid")
		s.expire()
		for i, id := range ids {
			s.forge(winner(id, fmt.Sprint("account", i), "1"))
		}
		s.drain()
		s.wantCount(200, `SELECT COUNT(*) FROM sale_orders WHERE sale = $1`, s.sale.Key)
		s.wantCounts(0, 1)
		s.wantLeft(199)
		s.wantAgree()
	})
}

func TestOneBadEntryDoesNotBlockItsBatch(t *testing.T) {
	each(t, 200, func(s *shop) {
		s.open()
		before := s.buy("early bird")
		var poisoned string
		for i := range 100 {
			switch i {
			case 37:
				s.forge(winner(before, "early bird", "1"))
			case 61:
				id, err := s.reserve("nul\x00nul")
				check(s.TB, err)
				poisoned = id
			case 80:
				s.forge(map[string]any{"reservation": uuid.NewString(), "qty": "1"})
			default:
				_, err := s.reserve(fmt.Sprint("account", i))
				check(s.TB, err)
			}
		}
		s.drain()
		s.wantCounts(98, 0)
		s.wantCount(2, `SELECT COUNT(*) FROM poison WHERE sale = $1 AND reason <> ''`, s.sale.Key)
		s.sweep()
		s.wantNote(poisoned, gate.Refused)
		s.wantLeft(200 - 98)
		if a := s.wantAgree(); a.InStream != 0 {
			s.Errorf("in stream: got %d, want 0", a.InStream)
		}
	})
}

func TestPoison(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		good := uuid.NewString()
		for _, fields := range []map[string]any{
			winner("no uuid", "a", "1"),
			winner("{"+good+"}", "a", "1"),
			winner(uuid.NewString(), "a\xff", "1"),
			winner(uuid.NewString(), "a", "-1"),
			winner(uuid.NewString(), "a", "0"),
			winner(uuid.NewString(), "a", "1.5"),
			winner(uuid.NewString(), "a", "99999999999999999999"),
			winner(uuid.NewString(), "a", "10001"),
			winner(uuid.NewString(), "", "1"),
			{"x": "y"},
		} {
			s.forge(fields)
		}
		s.drain()
		s.wantCount(10, `SELECT COUNT(*) FROM poison WHERE sale = $1`, s.sale.Key)
		s.wantCounts(0, 0)
		s.wantAgree()

		// Poison that names somebody's order does that order no harm.
		id := s.buy("ann")
		s.forge(winner(id, "ann", "-1"))
		s.drain()
		s.wantNote(id, gate.Held)
		s.wantLeft(4)
		s.wantAgree()
	})
}

// What a sale's file may promise an account is what the books take, and no more.
func TestLargestOrder(t *testing.T) {
	const most = 10_000
	file := filepath.Join(t.TempDir(), "toy.yaml")
	for _, c := range []struct {
		perAccount int
		ok         bool
	}{{most, true}, {most + 1, false}} {
		check(t, os.WriteFile(file, fmt.Appendf(nil, `
sale: toy
title: Toy
timezone: Europe/Berlin
doors: 2026-11-27 09:30
opens: 2026-11-27 10:00
closes: 2026-11-27 12:00
product_page: /toy
buy: POST /toy/buy
checkout: /checkout?r={reservation}
stock: 20000
admit: 10/s
per_account: %d
`, c.perAccount), 0o600))
		_, _, err := configs.LoadSaleFile(file, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
		if (err == nil) != c.ok {
			t.Errorf("per_account %d: got %v, want accepted: %v", c.perAccount, err, c.ok)
		}
	}
	each(t, most, func(s *shop) {
		s.open()
		s.forge(winner(uuid.NewString(), "ann", strconv.Itoa(most)))
		s.drain()
		s.wantCounts(most, 0)
		s.wantCount(0, `SELECT COUNT(*) FROM poison WHERE sale = $1`, s.sale.Key)
	})
}

func TestSecondLiveOrderGivesItsUnitBack(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		first := s.buy("ann")
		check(s.TB, s.rdb.Del(s.Context(), "wr:{gate:"+s.sale.Key+"/0}:index").Err()) // the gate forgot, the books did not
		second := s.buy("ann")
		s.sweep()
		s.wantNote(first, gate.Held)
		s.wantNote(second, gate.Refused)
		s.wantLeft(4)
		s.wantCounts(1, 0)
		s.wantAgree()

		// Refused stays refused, also when the other order is gone.
		s.expire()
		s.forge(winner(second, "ann", "1"))
		s.drain()
		s.wantCounts(0, 0)
		s.wantLeft(5)
		s.wantPaid(second, "p1", 200, "refund_due")
		s.wantNote(second, gate.RefundDue)
		s.wantAgree()
	})
}

func TestLeakedWinnerIsRefusedAndNotGivenBack(t *testing.T) {
	each(t, 2, func(s *shop) {
		s.open()
		for i := range 3 { // entries of which the books can honour two
			s.forge(winner(uuid.NewString(), fmt.Sprint("account", i), "1"))
		}
		s.drain()
		s.sweep()
		s.wantCounts(2, 0)
		s.wantCount(1, `SELECT COUNT(*) FROM refusals WHERE sale = $1 AND reason = 'leaked'`, s.sale.Key)
		s.wantLeft(2) // it had given none of them
	})
}

func TestUnitThatTheGateInventedIsDropped(t *testing.T) {
	each(t, 2, func(s *shop) {
		s.open()
		check(s.TB, s.rdb.HIncrBy(s.Context(), s.key("state"), "stock", 1).Err())
		var ids []string
		for i := range 3 {
			ids = append(ids, s.buy(fmt.Sprint("account", i)))
		}
		s.sweep()
		s.wantNote(ids[2], gate.Refused)
		s.wantLeft(0)
		s.wantCounts(2, 0)
		s.wantAgree()
	})
}

func TestExpiryGivesBackOnce(t *testing.T) {
	each(t, 10, func(s *shop) {
		s.open()
		var ids []string
		for i := range 10 {
			ids = append(ids, s.buy(fmt.Sprint("account", i)))
		}
		s.wantLeft(0)
		check(s.TB, s.books.Ripen(s.Context(), s.sale.Key))
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if _, err := s.worker.Sweep(s.Context()); err != nil {
					s.Error(err)
				}
			})
		}
		all.Wait()
		s.sweep()
		s.wantLeft(10)
		s.wantCounts(0, 0)
		s.wantNote(ids[3], gate.Expired)
		s.wantCount(10, `SELECT COUNT(*) FROM sale_orders WHERE sale = $1 AND status = 'EXPIRED' AND released_at IS NOT NULL`, s.sale.Key)
		s.wantCount(10, `SELECT COUNT(*) FROM journal WHERE sale = $1 AND cause = 'expired'`, s.sale.Key)
		s.buy("account3") // the same person may buy again
		s.wantAgree()
	})
}

func TestUnpaidOrderIsKeptUntilItsTime(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.open()
		s.buy("ann")
		if done := s.sweep(); done.Expired != 0 {
			s.Errorf("expired: got %d, want 0", done.Expired)
		}
		s.wantCounts(1, 0)
	})
}

func TestGiveBackIsRetriedWhileTheGateIsClosed(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.open()
		id := s.buy("ann")
		check(s.TB, s.gate.Close(s.Context(), "test"))
		s.expire()
		s.wantCount(1, `SELECT COUNT(*) FROM sale_orders WHERE reservation_id = $1 AND released_at IS NULL`, id)
		s.open()
		s.sweep()
		s.wantCount(0, `SELECT COUNT(*) FROM sale_orders WHERE reservation_id = $1 AND released_at IS NULL`, id)
		s.wantLeft(1)
		s.wantAgree()
	})
}

func TestLatePaymentTakesAUnitThatIsLeft(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.open()
		id := s.buy("ann")
		s.expire()
		s.wantPaid(id, "p1", 200, "paid")
		s.wantPaid(id, "p1", 200, "paid")
		s.wantNote(id, gate.Paid)
		s.wantLeft(0)
		s.wantCounts(0, 1)
		s.sweep()
		s.wantLeft(0)
		s.wantAgree()
	})
}

func TestLatePaymentBeforeTheGiveBack(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.open()
		id := s.buy("ann")
		check(s.TB, s.gate.Close(s.Context(), "test")) // so that the sweeper cannot give back
		s.expire()
		if code, _ := s.pay(id, "p1"); code != 503 {
			s.Errorf("late payment at a closed gate: got %d, want 503", code)
		}
		s.open()
		s.wantPaid(id, "p1", 200, "paid")
		s.wantLeft(0)
		s.wantCounts(0, 1)
		s.wantAgree()
	})
}

func TestLatePaymentFindsNothingLeft(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.open()
		a := s.buy("ann")
		s.expire()
		b := s.buy("bob")
		s.wantPaid(a, "p1", 200, "refund_due")
		s.wantPaid(a, "p1", 200, "refund_due")
		s.wantNote(a, gate.RefundDue)
		s.wantNote(b, gate.Held)
		s.wantPaid(b, "p2", 200, "paid")
		s.wantCount(1, `SELECT COUNT(*) FROM refunds WHERE reservation_id = $1`, a)
		s.wantCount(1, `SELECT COUNT(*) FROM journal WHERE reservation_id = $1 AND cause = 'refund_due'`, a)
		s.wantCounts(0, 1)
		s.wantAgree()
	})
}

func TestLatePaymentIsRefusedByTheBooks(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.open()
		a := s.buy("ann")
		s.expire()
		s.forge(winner(uuid.NewString(), "bob", "1")) // the gate still offers what the books have not
		s.drain()
		s.wantPaid(a, "p1", 200, "refund_due")
		s.wantCounts(1, 0)
		s.wantLeft(1) // taken, and given back
		s.wantCount(0, `SELECT COUNT(*) FROM sale_orders WHERE reservation_id = $1 AND released_at IS NULL`, a)
	})
}

func TestLatePaymentIsAlwaysRefunded(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.sale.LatePayment = configs.Refund
		s.open()
		id := s.buy("ann")
		s.expire()
		s.wantPaid(id, "p1", 200, "refund_due")
		s.wantLeft(1)
		s.wantCounts(0, 0)
		s.wantAgree()
	})
}

func TestLatePaymentsAtOnceTakeOneUnit(t *testing.T) {
	each(t, 3, func(s *shop) {
		s.open()
		id := s.buy("ann")
		s.expire()
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				if code, status := s.pay(id, fmt.Sprint("p", i%3)); code != 200 {
					s.Errorf("pay: got %d %v", code, status)
				}
			})
		}
		all.Wait()
		s.sweep()
		s.wantCounts(0, 1)
		s.wantLeft(2)
		s.wantCount(3, `SELECT COUNT(*) FROM payments WHERE reservation_id = $1`, id)
		s.wantCount(2, `SELECT COUNT(*) FROM refunds WHERE reservation_id = $1`, id)
		s.wantAgree()
	})
}

func TestSameNoticeTwentyTimes(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.open()
		id := s.buy("ann")
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { s.wantPaid(id, "p1", 200, "paid") })
		}
		all.Wait()
		s.wantCount(1, `SELECT COUNT(*) FROM journal WHERE reservation_id = $1 AND cause = 'paid'`, id)
		s.wantCount(0, `SELECT COUNT(*) FROM refunds`)
		s.wantPaid(id, "p2", 200, "refund_due") // a second payment
		s.wantNote(id, gate.Paid)
		s.wantCounts(0, 1)
		s.wantAgree()
	})
}

func TestPaymentAndExpiryRace(t *testing.T) {
	each(t, 8, func(s *shop) {
		s.sale.LatePayment = configs.Refund
		s.open()
		var ids []string
		for i := range 8 {
			ids = append(ids, s.buy(fmt.Sprint("account", i)))
		}
		check(s.TB, s.books.Ripen(s.Context(), s.sale.Key))
		var all sync.WaitGroup
		all.Go(func() { _, _ = s.worker.Sweep(s.Context()) })
		for i, id := range ids {
			all.Go(func() { s.pay(id, fmt.Sprint("p", i)) })
		}
		all.Wait()
		s.sweep()
		paid := s.count(`SELECT COUNT(*) FROM sale_orders WHERE sale = $1 AND status = 'PAID'`, s.sale.Key)
		s.wantCounts(0, paid)
		s.wantCount(8-paid, `SELECT COUNT(*) FROM refunds`)
		s.wantLeft(8 - paid)
		s.wantAgree()
	})
}

func TestEarlyPaymentIsKeptAndApplied(t *testing.T) {
	each(t, 2, func(s *shop) {
		s.open()
		id, err := s.reserve("ann")
		check(s.TB, err)
		s.wantPaid(id, "p1", 202, "finishing")
		s.wantPaid(id, "p1", 202, "finishing")
		if code, body := s.ask("GET", "/v1/orders/"+id, ""); code != 200 || body["status"] != "finishing" {
			s.Errorf("order on its way: got %d %v", code, body)
		}
		if code, _ := s.ask("POST", "/v1/orders/"+id+"/cancel", ""); code != 503 {
			s.Errorf("cancel on its way: got %d, want 503", code)
		}
		s.drain()
		s.wantCounts(0, 1)
		s.wantNote(id, gate.Paid)
		s.wantPaid(id, "p1", 200, "paid")
		s.wantCount(0, `SELECT COUNT(*) FROM early_payments`)
		s.wantAgree()
	})
}

func TestEarlyPaymentWhoseOrderNeverComes(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.open()
		id, err := s.reserve("ann")
		check(s.TB, err)
		s.wantPaid(id, "p1", 202, "finishing")
		check(s.TB, s.rdb.Del(s.Context(), s.stream()).Err())
		check(s.TB, s.books.RipenEarly(s.Context()))
		s.sweep()
		s.wantCount(1, `SELECT COUNT(*) FROM refunds WHERE reservation_id = $1`, id)
		s.wantCount(0, `SELECT COUNT(*) FROM early_payments`)
	})
}

// The workers were away for longer than a notice waits.
func TestEarlyPaymentWaitsWhileItsWinnerDoes(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.open()
		id, err := s.reserve("ann")
		check(s.TB, err)
		s.wantPaid(id, "p1", 202, "finishing")
		check(s.TB, s.books.RipenEarly(s.Context()))
		s.sweep()
		s.wantCount(0, `SELECT COUNT(*) FROM refunds`)
		s.wantCount(1, `SELECT COUNT(*) FROM early_payments`)
		s.drain()
		s.wantCounts(0, 1)
		s.wantNote(id, gate.Paid)
		s.wantAgree()
	})
}

func TestEarlyPaymentWaitsWhileTheGateIsDamaged(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.open()
		id, err := s.reserve("ann")
		check(s.TB, err)
		s.wantPaid(id, "p1", 202, "finishing")
		check(s.TB, s.books.RipenEarly(s.Context()))
		check(s.TB, s.rdb.Set(s.Context(), s.key("receipts"), "not a hash", 0).Err())
		for range 2 { // the first closes it
			s.sweep()
			s.wantCount(0, `SELECT COUNT(*) FROM refunds`)
		}
		s.drain()
		s.wantCounts(0, 1)
	})
}

// The money is due back or kept, and never both.
func TestLostPaymentWhoseOrderHasJustCome(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.open()
		id := s.buy("ann")
		if err := s.books.RefundLost(s.Context(), s.sale.Key, id, "p1"); err == nil {
			s.Error("refund of a payment whose order is there: no error")
		}
		s.wantPaid(id, "p1", 200, "paid")
		s.wantCount(0, `SELECT COUNT(*) FROM refunds`)
	})
}

func TestPaymentThatIsWrong(t *testing.T) {
	each(t, 2, func(s *shop) {
		s.open()
		a, b := s.buy("ann"), s.buy("bob")
		early, _ := s.reserve("carl")
		_ = early
		s.wantPaid(a, "p1", 200, "paid")
		for _, c := range []struct {
			name, reservation, body string
			code                    int
		}{
			{"unknown", uuid.NewString(), `{"payment_id":"p9"}`, 404},
			{"no uuid", "golden", `{"payment_id":"p9"}`, 404},
			{"other reservation", b, `{"payment_id":"p1","amount":19.90,"currency":"EUR"}`, 409},
			{"other amount", a, `{"payment_id":"p1","amount":19.91,"currency":"EUR"}`, 409},
			{"other currency", a, `{"payment_id":"p1","amount":19.90,"currency":"USD"}`, 409},
			{"same as text", a, `{"payment_id":"p1","amount":"19.9","currency":"eur"}`, 200},
			{"no id", b, `{}`, 400},
			{"no JSON", b, `payment`, 400},
			{"negative", b, `{"payment_id":"p9","amount":-1}`, 400},
			{"exponent", b, `{"payment_id":"p9","amount":1e3}`, 400},
			{"currency", b, `{"payment_id":"p9","currency":"euro"}`, 400},
			{"names another", b, `{"payment_id":"p9","reservation":"` + a + `"}`, 400},
			{"names no reservation", b, `{"payment_id":"p9","reservation":"golden"}`, 400},
			{"two ids", b, `{"payment_id":"p8","payment_id":"p9"}`, 400},
			{"two ids, one escaped", b, `{"payment_id":"p8","payment\u005fid":"p9"}`, 400},
			{"two of what nobody reads", b, `{"payment_id":"p9","x":1,"x":1}`, 400},
			{"two bodies", b, `{"payment_id":"p9"}{}`, 400},
			{"cut off", b, `{"payment_id":"p9"`, 400},
			{"a list", b, `[{"payment_id":"p9"}]`, 400},
			{"a number as id", b, `{"payment_id":9}`, 400},
			{"a list as amount", b, `{"payment_id":"p9","amount":[1]}`, 400},
			{"an empty amount", b, `{"payment_id":"p9","amount":""}`, 400},
			{"no UTF-8", b, "{\"payment_id\":\"p9\",\"x\":\"\xff\"}", 400},
			{"no UTF-8 as id", b, "{\"payment_id\":\"p\xff\"}", 400},
			{"half a surrogate pair", b, `{"payment_id":"p\ud800"}`, 400},
		} {
			code, body := s.ask("POST", "/v1/orders/"+c.reservation+"/paid", c.body)
			if code != c.code || code >= 400 && body["error"] == "" {
				s.Errorf("%s: got %d %v, want %d", c.name, code, body, c.code)
			}
			if what := fmt.Sprint(body["error"]); strings.Contains(what, "struct") || strings.Contains(what, "json:") {
				s.Errorf("%s: the fault shows the program's insides: %s", c.name, what)
			}
		}
		s.wantCounts(1, 1)
	})
}

func TestCancelThatNamesAnother(t *testing.T) {
	each(t, 2, func(s *shop) {
		s.open()
		a, b := s.buy("ann"), s.buy("bob")
		for _, c := range []struct {
			name, body string
			code       int
		}{
			{"another", `{"reservation":"` + b + `"}`, 400},
			{"another and itself", `{"reservation":"` + b + `","reservation":"` + a + `"}`, 400},
			{"no reservation", `{"reservation":7}`, 400},
			{"no JSON", `cancel`, 400},
			{"itself", `{"reservation":"` + strings.ToUpper(a) + `"}`, 200},
			{"an empty object", `{}`, 200},
			{"nothing", ` `, 200},
		} {
			if code, body := s.ask("POST", "/v1/orders/"+a+"/cancel", c.body); code != c.code {
				s.Errorf("%s: got %d %v, want %d", c.name, code, body, c.code)
			}
			if c.code == 400 {
				s.wantNote(a, gate.Held)
			}
		}
		s.wantNote(b, gate.Held)
	})
}

func TestCancel(t *testing.T) {
	each(t, 2, func(s *shop) {
		s.open()
		id := s.buy("ann")
		for range 2 {
			if code, body := s.ask("POST", "/v1/orders/"+id+"/cancel", ""); code != 200 || body["status"] != "cancelled" {
				s.Errorf("cancel: got %d %v", code, body)
			}
		}
		s.wantLeft(2)
		s.wantCounts(0, 0)
		s.wantNote(id, gate.Cancelled)
		paid := s.buy("bob")
		s.wantPaid(paid, "p1", 200, "paid")
		if code, _ := s.ask("POST", "/v1/orders/"+paid+"/cancel", ""); code != 409 {
			s.Errorf("cancel a paid order: got %d, want 409", code)
		}
		if code, _ := s.ask("POST", "/v1/orders/"+uuid.NewString()+"/cancel", ""); code != 404 {
			s.Errorf("cancel an unknown order: got %d, want 404", code)
		}
		s.wantAgree()
	})
}

func TestJournalIsAppendOnly(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.open()
		s.buy("ann")
		for _, text := range []string{`UPDATE journal SET units = 0`, `DELETE FROM journal`} {
			if _, err := s.books.DB().ExecContext(s.Context(), text); err == nil {
				s.Errorf("%s: no error", text)
			}
		}
		if _, err := s.books.DB().ExecContext(s.Context(), `UPDATE sale_stock SET sold = total + 1`); err == nil {
			s.Error("sold above total: no error")
		}
	})
}
