package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/waitroom/waitroom/gate"
)

const (
	buyers     = 10
	accounts   = 120 // few enough that one buys again, and twice at once
	maxBacklog = 1000
	patience   = 30 * time.Second // with what comes by itself once all is well
)

// edge asks the gate, as the front door does.
type edge struct {
	*round
	redis *relays
	gate  *gate.Gate
}

func (r *round) newEdge() *edge {
	e := &edge{round: r, redis: newRelays(r.t)}
	rdb, err := connect(r.redisURL, e.redis)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = rdb.Close() }) // it may be broken
	e.gate = r.newGate(rdb)
	return e
}

// buyer is one goroutine that shops under many names.
type buyer struct {
	*round
	rng  *rand.Rand
	name string
	n    int

	patient bool // never leaves an answer in doubt
}

func (r *round) newBuyer(i int) *buyer {
	return &buyer{round: r, rng: rand.New(rand.NewPCG(r.seed, uint64(100+i))), name: fmt.Sprint("buyer", i)}
}

// live shops until selling ends; what is under way then is brought to an end.
func (b *buyer) live(selling context.Context) {
	for selling.Err() == nil {
		b.shop()
		pause(selling, time.Duration(10+b.rng.IntN(120))*time.Millisecond)
	}
}

// shop is one life of a buyer: a yes, and what becomes of it.
func (b *buyer) shop() {
	b.n++
	account := fmt.Sprint("account", b.rng.IntN(accounts))
	key := fmt.Sprintf("%s-%d", b.name, b.n)
	r := gate.Request{
		Reservation: b.newID(), Account: account, Ticket: "ticket of " + account, Key: key, Digest: "d",
		Qty: 1 + b.rng.IntN(8)/7, PerAccount: 2, Hold: time.Minute, MaxBacklog: maxBacklog,
	}
	var copies sync.WaitGroup
	if b.rng.IntN(6) == 0 { // a double click: the same key, another reservation
		second, rng := r, rand.New(rand.NewPCG(b.rng.Uint64(), 0))
		second.Reservation = b.newID()
		copies.Go(func() { (&buyer{round: b.round, rng: rng, name: b.name + "'"}).ask(second) })
	}
	reservation, ok := b.ask(r)
	copies.Wait()
	if ok {
		b.follow(reservation, key)
	}
}

func (b *buyer) newID() string {
	var id uuid.UUID
	for i := range id {
		id[i] = byte(b.rng.Uint32())
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return id.String()
}

// ask asks until there is a yes or a no. An answer in doubt is asked for again,
// with the same request, or as a reload does with the same key alone.
func (b *buyer) ask(r gate.Request) (reservation string, ok bool) {
	asked := time.Now()
	for b.ctx.Err() == nil {
		e := b.edges[b.rng.IntN(len(b.edges))]
		h, err := e.gate.Reserve(b.ctx, r)
		_, already := errors.AsType[*gate.AlreadyBoughtError](err)
		switch {
		case err == nil:
			b.story.answered("yes")
			b.story.told(yes{h.Reservation, r.Account, r.Key, asked, h.Mark})
			return h.Reservation, true
		case already:
			b.story.answered("already")
			return "", false
		case errors.Is(err, gate.ErrSoldOut):
			b.story.answered("sold out")
			return "", false
		case errors.Is(err, gate.ErrClosed), errors.Is(err, gate.ErrBacklog):
			b.story.answered("paused")
		case errors.Is(err, gate.ErrBusy):
			b.story.answered("busy")
		case errors.Is(err, gate.ErrKeyReused), errors.Is(err, gate.ErrTooMany):
			b.story.fault("%s was told %v", r.Key, err)
			return "", false
		default:
			b.story.answered("in doubt")
			b.story.note("in doubt: %s of %s: %v", short(r.Reservation), r.Account, err)
			if b.rng.IntN(20) == 0 && !b.patient {
				return "", false // the train goes into a tunnel
			}
			if b.rng.IntN(2) == 0 {
				r.Reservation = b.newID()
			}
		}
		pause(b.ctx, time.Duration(10+b.rng.IntN(80))*time.Millisecond)
	}
	return "", false
}

// follow does with a reservation what shoppers and shops do.
func (b *buyer) follow(reservation, payment string) {
	if b.rng.IntN(5) == 0 { // money that comes late
		pause(b.ctx, time.Duration(500+b.rng.IntN(1500))*time.Millisecond)
	}
	switch dice := b.rng.IntN(100); {
	case dice < 45:
		b.pay(b.rng, reservation, payment)
	case dice < 60: // the same notice twice at once
		other := rand.New(rand.NewPCG(b.rng.Uint64(), 0))
		var twice sync.WaitGroup
		twice.Go(func() { b.pay(other, reservation, payment) })
		b.pay(b.rng, reservation, payment)
		twice.Wait()
	case dice < 67: // two payments for one order
		b.pay(b.rng, reservation, payment)
		b.pay(b.rng, reservation, payment+"-again")
	case dice < 77:
		b.cancel(reservation)
	}
}

// pay reports a payment until it is taken.
func (b *buyer) pay(rng *rand.Rand, reservation, payment string) {
	code, body := b.call(rng, reservation, "paid", fmt.Sprintf(`{"payment_id":%q,"amount":"19.90","currency":"EUR"}`, payment))
	said := ""
	for _, s := range []string{"paid", "refund_due", "finishing"} {
		if strings.Contains(body, `"status":"`+s+`"`) {
			said = s
		}
	}
	switch {
	case said != "":
		b.story.paid(notice{reservation, payment, said})
	case code == http.StatusNotFound:
		if !b.excused(reservation) {
			b.story.fault("payment for %s: nobody knows it", reservation)
		}
	case code != 0:
		b.story.fault("payment %s for %s: %d %s", payment, reservation, code, body)
	}
}

func (b *buyer) cancel(reservation string) {
	code, body := b.call(b.rng, reservation, "cancel", "")
	switch code {
	case 0, http.StatusOK, http.StatusConflict:
		b.story.note("cancel %s: %d", short(reservation), code)
	case http.StatusNotFound:
		if !b.excused(reservation) {
			b.story.fault("cancellation of %s: nobody knows it", reservation)
		}
	default:
		b.story.fault("cancellation of %s: %d %s", reservation, code, body)
	}
}

// call asks the workers, one after the other, until one has an answer that is not
// to come again; code is 0 when the round ended first.
func (b *buyer) call(rng *rand.Rand, reservation, action, body string) (code int, answer string) {
	for i := rng.IntN(2); b.ctx.Err() == nil; i++ {
		if h := b.workers[i%len(b.workers)].handler(); h != nil {
			req := httptest.NewRequestWithContext(b.ctx, http.MethodPost, "/v1/orders/"+reservation+"/"+action, strings.NewReader(body))
			req.Header.Set("Authorization", "Bearer "+workerToken)
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, req)
			if rec.Code < 500 {
				return rec.Code, rec.Body.String()
			}
		}
		pause(b.ctx, time.Duration(30+rng.IntN(100))*time.Millisecond)
	}
	return 0, ""
}

// pause waits for d and reports whether ctx let it.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
