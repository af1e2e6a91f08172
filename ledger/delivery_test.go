package ledger_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/ledger"
)

// delivery is what a shop gets of a refund.
type delivery struct{ key, attempt, body string }

// till is a shop's end of the outbox. It keeps what it gets and then answers as it
// was told to.
type till struct {
	*httptest.Server
	answer http.HandlerFunc

	mu   sync.Mutex
	got  []delivery
	open map[string]int // deliveries of a key that are under way
	most int            // of one key at once
}

func newTill(t testing.TB, answer http.HandlerFunc) *till {
	c := &till{answer: answer, open: make(map[string]int)}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *till) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	d := delivery{r.Header.Get("Idempotency-Key"), r.Header.Get("Waitroom-Attempt"), string(body)}
	c.mu.Lock()
	c.got = append(c.got, d)
	c.open[d.key]++
	c.most = max(c.most, c.open[d.key])
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open[d.key]--
	}()
	c.answer(rw, r)
}

// deliveries returns what has come so far.
func (c *till) deliveries() []delivery {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]delivery(nil), c.got...)
}

// sender returns a worker that announces refunds to an address and waits for an
// answer no longer than a test may.
func (s *shop) sender(url string) *ledger.Worker {
	s.Helper()
	section := s.section
	section.RefundURL = configs.NewSecret(url + "/refunds?key=secret")
	w := s.newWorker(section)
	w.Hurry(400 * time.Millisecond)
	return w
}

// overpaid makes refunds due: orders that were paid twice.
func (s *shop) overpaid(names ...string) {
	s.Helper()
	for _, name := range names {
		id := s.buy("account " + name)
		s.wantPaid(id, "first-"+name, 200, "paid")
		s.wantPaid(id, name, 200, "refund_due")
	}
}

// raw takes the connection away from the server and writes to it what stands
// there, and nothing more.
func raw(text string) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) {
		conn, _, err := rw.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

func says(code int) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(code) }
}

// Whatever a shop does other than to say 2xx, the refund stays due, and comes
// again later as what it was: the same key, the same body.
func TestShopsThatDoNotTakeARefund(t *testing.T) {
	each(t, 40, func(s *shop) {
		s.open()
		elsewhere := newTill(s.TB, says(200))
		hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		for i, c := range []struct {
			name   string
			answer http.HandlerFunc
			taken  bool
		}{
			{"200", says(200), true},
			{"202", says(202), true},
			{"204", says(204), true},
			{"500", says(500), false},
			{"503", says(503), false},
			{"404", says(404), false},
			{"410", says(410), false},
			{"429", says(429), false},
			{"304", says(304), false},
			{"moved", func(rw http.ResponseWriter, r *http.Request) {
				http.Redirect(rw, r, elsewhere.URL, http.StatusMovedPermanently)
			}, false},
			{"moved, the method kept", func(rw http.ResponseWriter, r *http.Request) {
				http.Redirect(rw, r, elsewhere.URL, http.StatusTemporaryRedirect)
			}, false},
			{"hangs", hang, false},
			{"200 too late", func(rw http.ResponseWriter, r *http.Request) { hang(rw, r); rw.WriteHeader(200) }, false},
			{"hangs behind its 200", func(rw http.ResponseWriter, r *http.Request) {
				rw.WriteHeader(200)
				_ = http.NewResponseController(rw).Flush()
				hang(rw, r)
			}, true},
			{"dies at once", raw(""), false},
			{"dies in the status line", raw("HTTP/1.1 20"), false},
			{"dies in the header", raw("HTTP/1.1 200 OK\r\nContent-Le"), false},
			{"dies in the body", raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nok"), true},
			{"dies in a 500", raw("HTTP/1.1 500 No\r\nContent-Length: 99\r\n\r\nno"), false},
			{"no HTTP", raw("220 mail.example.com ESMTP\r\n"), false},
			{"endless header", raw("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2<<20)), false},
			{"endless body", func(rw http.ResponseWriter, r *http.Request) {
				for r.Context().Err() == nil {
					if _, err := rw.Write(make([]byte, 1<<16)); err != nil {
						return
					}
				}
			}, true},
		} {
			s.overpaid(c.name)
			odd := newTill(s.TB, c.answer)
			err := s.sender(odd.URL).SendRefunds(s.Context())
			if (err == nil) != c.taken {
				s.Errorf("%s: got %v, want taken: %v", c.name, err, c.taken)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				s.Errorf("%s: the fault quotes the address: %v", c.name, err)
			}
			s.wantCount(i, `SELECT COUNT(*) FROM journal WHERE cause = 'refunded' AND payment_id <> $1`, c.name)
			calm := newTill(s.TB, says(200))
			check(s.TB, s.sender(calm.URL).SendRefunds(s.Context())) // not due again yet
			if got := calm.deliveries(); len(got) != 0 {
				s.Errorf("%s: sent again at once: %v", c.name, got)
			}
			check(s.TB, s.books.Hasten(s.Context()))
			check(s.TB, s.sender(calm.URL).SendRefunds(s.Context()))
			got := append(odd.deliveries(), calm.deliveries()...)
			if want := 1; c.taken && len(got) != want || !c.taken && len(got) != want+1 {
				s.Errorf("%s: got %d deliveries", c.name, len(got))
				continue
			}
			for n, d := range got {
				if d.key != c.name || d.body != got[0].body || d.attempt != fmt.Sprint(n+1) {
					s.Errorf("%s: delivery %d was %+v, the first %+v", c.name, n+1, d, got[0])
				}
			}
		}
		if got := elsewhere.deliveries(); len(got) != 0 {
			s.Errorf("a redirect was followed: %v", got)
		}
		s.wantCount(0, `SELECT COUNT(*) FROM refunds WHERE sent_at IS NULL`)
	})
}

func TestShopThatIsNotThere(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.open()
		s.overpaid("p")
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		check(s.TB, err)
		check(s.TB, listener.Close())
		if err := s.sender("http://" + listener.Addr().String()).SendRefunds(s.Context()); err == nil {
			s.Error("nobody listens: no error")
		}
		back := newTill(s.TB, says(200))
		check(s.TB, s.books.Hasten(s.Context()))
		check(s.TB, s.sender(back.URL).SendRefunds(s.Context()))
		if got := back.deliveries(); len(got) != 1 || got[0].attempt != "2" {
			s.Errorf("got %v, want the second attempt", got)
		}
	})
}

// A shop that hangs holds up a batch for one delivery's time, not for ten.
func TestHangingShopHoldsUpABatchOnce(t *testing.T) {
	each(t, 10, func(s *shop) {
		s.open()
		for i := range 10 {
			s.overpaid(fmt.Sprint("p", i))
		}
		odd := newTill(s.TB, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		began := time.Now()
		if err := s.sender(odd.URL).SendRefunds(s.Context()); err == nil {
			s.Error("hanging shop: no error")
		}
		if took := time.Since(began); took > 2*time.Second {
			s.Errorf("a batch took %v, want little more than one delivery's 400ms", took)
		}
		s.wantCount(10, `SELECT COUNT(*) FROM refunds WHERE attempts = 1 AND sent_at IS NULL`)
	})
}

// Many workers, a slow shop that refuses every first delivery: no refund is under
// way twice at once, and none is sent once more than needed.
func TestOneDeliveryOfARefundAtATime(t *testing.T) {
	const n = 25
	each(t, n, func(s *shop) {
		s.open()
		for i := range n {
			s.overpaid(fmt.Sprint("p", i))
		}
		slow := newTill(s.TB, func(rw http.ResponseWriter, r *http.Request) {
			time.Sleep(rand.N(40 * time.Millisecond))
			if r.Header.Get("Waitroom-Attempt") == "1" {
				rw.WriteHeader(http.StatusInternalServerError)
			}
		})
		ctx, cancel := context.WithTimeout(s.Context(), 15*time.Second)
		defer cancel()
		var all sync.WaitGroup
		for range 4 {
			w := s.sender(slow.URL)
			w.Hurry(5 * time.Second)
			all.Go(func() {
				for ctx.Err() == nil {
					_ = w.SendRefunds(ctx)
					time.Sleep(10 * time.Millisecond)
				}
			})
		}
		s.soon("all refunds", func() bool { return s.count(`SELECT COUNT(*) FROM refunds WHERE sent_at IS NULL`) == 0 })
		cancel()
		all.Wait()
		if slow.most != 1 {
			s.Errorf("deliveries of one refund at once: got %d, want 1", slow.most)
		}
		if got := len(slow.deliveries()); got != 2*n {
			s.Errorf("deliveries: got %d, want %d", got, 2*n)
		}
		s.wantCount(n, `SELECT COUNT(*) FROM journal WHERE cause = 'refunded'`)
	})
}

// The shop took the refund, and the books were away when that was to be written
// down: it comes again under the same key, and is written down once.
func TestAcknowledgementThatWasLost(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.open()
		s.overpaid("p")
		rename := func(from, to string) {
			_, err := s.books.DB().Exec(`ALTER TABLE ` + from + ` RENAME TO ` + to)
			check(s.TB, err)
		}
		taken := newTill(s.TB, func(rw http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Waitroom-Attempt") == "1" {
				rename("refunds", "refunds_away")
			}
		})
		w := s.sender(taken.URL)
		w.Hurry(5 * time.Second)
		if err := w.SendRefunds(s.Context()); err == nil {
			s.Error("lost acknowledgement: no error")
		}
		rename("refunds_away", "refunds")
		s.wantCount(0, `SELECT COUNT(*) FROM refunds WHERE sent_at IS NOT NULL`)
		check(s.TB, w.SendRefunds(s.Context())) // still leased
		check(s.TB, s.books.Hasten(s.Context()))
		check(s.TB, w.SendRefunds(s.Context()))
		got := taken.deliveries()
		if len(got) != 2 || got[0].key != got[1].key || got[0].body != got[1].body {
			s.Errorf("got %+v, want the same twice", got)
		}
		s.wantCount(1, `SELECT COUNT(*) FROM refunds WHERE sent_at IS NOT NULL AND attempts = 2`)
		s.wantCount(1, `SELECT COUNT(*) FROM journal WHERE cause = 'refunded'`)
	})
}

// A delivery that took longer than its lease changes nothing once another worker
// has had the refund taken, whatever came of it.
func TestDeliveryThatOutlivesItsLease(t *testing.T) {
	each(t, 2, func(s *shop) {
		s.open()
		for i, code := range []int{500, 200} {
			name := fmt.Sprint("p", code)
			s.overpaid(name)
			calm := newTill(s.TB, says(200))
			slow := newTill(s.TB, func(rw http.ResponseWriter, _ *http.Request) {
				check(s.TB, s.books.Hasten(s.Context())) // the lease is over
				check(s.TB, s.sender(calm.URL).SendRefunds(s.Context()))
				rw.WriteHeader(code)
			})
			w := s.sender(slow.URL)
			w.Hurry(5 * time.Second)
			if err := w.SendRefunds(s.Context()); (err == nil) != (code == 200) {
				s.Errorf("%d: got %v", code, err)
			}
			if len(calm.deliveries()) != 1 {
				s.Errorf("%d: the other worker delivered %v", code, calm.deliveries())
			}
			s.wantCount(i+1, `SELECT COUNT(*) FROM refunds WHERE sent_at IS NOT NULL AND attempts = 2`)
			s.wantCount(i+1, `SELECT COUNT(*) FROM journal WHERE cause = 'refunded'`)
		}
	})
}

// The program ends in the middle of a delivery: it is written down as one that
// has to come again, at once and not when the lease is over.
func TestEndInTheMiddleOfADelivery(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.open()
		s.overpaid("p")
		ctx, cancel := context.WithCancel(s.Context())
		cut := newTill(s.TB, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
		w := s.sender(cut.URL)
		w.Hurry(10 * time.Second)
		if err := w.SendRefunds(ctx); err == nil {
			s.Error("cut delivery: no error")
		}
		back := newTill(s.TB, says(200))
		other := s.sender(back.URL)
		s.soon("the delivery by another worker", func() bool {
			check(s.TB, other.SendRefunds(s.Context()))
			return len(back.deliveries()) == 1
		})
		if got := back.deliveries()[0]; got.key != "p" || got.attempt != "2" {
			s.Errorf("got %+v, want the second attempt", got)
		}
	})
}
