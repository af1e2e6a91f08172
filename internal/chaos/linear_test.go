package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/balance"
	"github.com/waitroom/waitroom/internal/testserver"
)

const (
	clients   = 6
	eachAsks  = 30
	someUnits = 4
)

// TestGate_IsOneShelf lets clients take and give back at once, while requests and
// answers are lost, cut and late and Redis stands still or forgets the scripts: to
// all of them the gate looks like a shelf at which one stands at a time.
func TestGate_IsOneShelf(t *testing.T) {
	t.Parallel()
	first := firstSeed(t)
	for i, buckets := range []int{1, 1, 1, 3, 3, 10} {
		seed := first + uint64(i)
		t.Run(fmt.Sprintf("%d buckets, WAITROOM_SEED=%d", buckets, seed), func(t *testing.T) {
			t.Parallel()
			h := newHistory(t, seed, buckets)
			h.run()
			h.check()
		})
	}
}

// history is what clients asked of a gate and were told.
type history struct {
	*testing.T
	seed    uint64
	buckets int
	server  *testserver.RedisServer
	direct  *gate.Gate
	began   time.Time

	mu  sync.Mutex
	ops []porcupine.Operation
}

func newHistory(t *testing.T, seed uint64, buckets int) *history {
	t.Helper()
	h := &history{T: t, seed: seed, buckets: buckets, server: testserver.StartRedis(t), began: time.Now()}
	h.direct = h.gate(newRelays(t))
	if err := h.direct.Close(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	if ok, err := h.direct.Rebuild(t.Context(), "test", gate.Contents{Epoch: 1, Total: someUnits}); err != nil || !ok {
		t.Fatal(ok, err)
	}
	return h
}

func (h *history) gate(relays *relays) *gate.Gate {
	rdb, err := connect(h.server.URL, relays)
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = rdb.Close() })
	return gate.New(rdb, "toy", h.buckets)
}

// run returns when all clients have asked all.
func (h *history) run() {
	over, end := context.WithCancel(h.Context())
	var strikes, all sync.WaitGroup
	for i := range clients {
		rng := rand.New(rand.NewPCG(h.seed, uint64(1+i)))
		relays := newRelays(h)
		relays.judge(anyTrick(rand.New(rand.NewPCG(h.seed, uint64(100+i)))))
		c := &client{history: h, id: i, rng: rng, gate: h.gate(relays), holds: map[string]int{}}
		all.Go(c.live)
	}
	strikes.Go(func() { h.strike(over) })
	all.Wait()
	end()
	strikes.Wait()
}

// anyTrick is one of all tricks, for one request in eight.
func anyTrick(rng *rand.Rand) func([]byte) testserver.Fate {
	return func([]byte) testserver.Fate {
		if rng.IntN(8) > 0 {
			return testserver.Fate{}
		}
		return testserver.Fate{
			Trick: testserver.Trick(rng.IntN(int(testserver.DelayReply) + 1)),
			Late:  time.Duration(rng.IntN(100)) * time.Millisecond,
		}
	}
}

func (h *history) strike(over context.Context) {
	rng := rand.New(rand.NewPCG(h.seed, 0))
	for pause(over, time.Duration(100+rng.IntN(400))*time.Millisecond) {
		if rng.IntN(3) == 0 {
			h.server.Pause()
			pause(over, time.Duration(rng.IntN(300))*time.Millisecond)
			h.server.Resume()
			continue
		}
		if _, err := h.server.Do("SCRIPT", "FLUSH"); err != nil {
			h.Error(err)
		}
	}
}

// asked adds one call to the history. What ended in doubt may still come true.
func (h *history) asked(client int, a ask, began time.Time, answer said) {
	op := porcupine.Operation{
		ClientId: client, Input: a, Output: answer,
		Call: began.Sub(h.began).Nanoseconds(), Return: time.Since(h.began).Nanoseconds(),
	}
	if answer.what == "doubt" {
		op.Return = math.MaxInt64
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, op)
}

// check asks whether one order of all calls explains all answers.
func (h *history) check() {
	answers := map[string]int{}
	for _, op := range h.ops {
		answers[op.Input.(ask).what+": "+op.Output.(said).what]++
	}
	h.Logf("%d calls: %v", len(h.ops), answers)
	switch porcupine.CheckOperationsTimeout(shelfModel(someUnits), h.ops, time.Minute) {
	case porcupine.Illegal:
		slices.SortFunc(h.ops, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
		var lines []string
		for _, op := range h.ops[max(0, len(h.ops)-lastLines):] {
			lines = append(lines, fmt.Sprintf("%d  %8.3f … %8.3f  %+v: %+v", op.ClientId,
				float64(op.Call)/1e9, float64(op.Return)/1e9, op.Input, op.Output))
		}
		h.Errorf("no order of the calls explains the answers:\n%s", strings.Join(lines, "\n"))
	case porcupine.Unknown:
		h.Error("too many orders to try in a minute")
	}
	audit, err := h.direct.Audit(h.Context())
	if err != nil {
		h.Fatal(err)
	}
	if out := balance.Out(audit); audit.Left+audit.Transit+out != audit.Total {
		h.Errorf("%d left, %d in transit and %d out of %d", audit.Left, audit.Transit, out, audit.Total)
	}
}

// client asks one thing after the other.
type client struct {
	*history
	id    int
	rng   *rand.Rand
	gate  *gate.Gate
	holds map[string]int // what it was given, and the account that has it
}

func (c *client) live() {
	for i := range eachAsks {
		switch dice := c.rng.IntN(10); {
		case dice < 5:
			c.reserve(i)
		case dice < 8:
			c.release()
		case c.buckets > 1: // whose numbers are of several moments
			c.reserve(i)
		case dice < 9 && c.id == 0: // one alone: two could undo each other's lost calls
			c.total()
		default:
			c.look()
		}
		pause(c.Context(), time.Duration(c.rng.IntN(20))*time.Millisecond)
	}
}

// reserve asks until it is decided, all in one call of the history; now and then
// it leaves an answer in doubt.
func (c *client) reserve(i int) {
	a := ask{what: "reserve", account: c.rng.IntN(names), hold: fmt.Sprintf("%d-%d", c.id, i), qty: 1 + c.rng.IntN(2)}
	account := fmt.Sprint("account", a.account)
	r := gate.Request{
		Reservation: a.hold, Account: account, Ticket: "ticket of " + account, Key: a.hold, Digest: "d",
		Qty: a.qty, PerAccount: 2, Hold: time.Minute, MaxBacklog: 1000,
	}
	began, answer := time.Now(), said{what: "doubt"}
	for answer.what == "doubt" {
		_, err := c.gate.Reserve(c.Context(), r)
		already, is := errors.AsType[*gate.AlreadyBoughtError](err)
		switch {
		case err == nil:
			answer.what = "ok"
			c.holds[a.hold] = a.account
		case is:
			answer = said{what: "already", hold: already.Reservation}
		case errors.Is(err, gate.ErrSoldOut) && c.buckets > 1:
			// The account is asked first, and then all buckets: in between another
			// call may have got it something.
			answer.what = "too few"
		case errors.Is(err, gate.ErrSoldOut):
			answer.what = "sold out"
		case errors.Is(err, gate.ErrBusy):
			continue // it took nothing
		case errors.Is(err, gate.ErrClosed):
			c.Errorf("closed: nothing was forgotten")
			return
		}
		if c.rng.IntN(10) == 0 {
			break
		}
	}
	c.asked(c.id, a, began, answer)
}

// release gives one back that it was given, perhaps for the second time.
func (c *client) release() {
	holds := slices.Sorted(maps.Keys(c.holds))
	if len(holds) == 0 {
		return
	}
	hold, account := holds[0], c.holds[holds[0]]
	a := ask{what: "release", account: account, hold: hold}
	began, answer := time.Now(), said{what: "doubt"}
	removed, err := c.gate.Release(c.Context(), fmt.Sprint("account", account), hold)
	switch {
	case err == nil && removed:
		answer.what = "ok"
	case err == nil:
		answer.what = "nothing"
	}
	if c.rng.IntN(2) == 0 && err == nil {
		delete(c.holds, hold)
	}
	c.asked(c.id, a, began, answer)
}

func (c *client) total() {
	a := ask{what: "total", qty: c.rng.IntN(2 * someUnits)}
	began := time.Now()
	for c.Context().Err() == nil {
		if got, err := c.gate.SetTotal(c.Context(), a.qty); err == nil {
			c.asked(c.id, a, began, said{what: "ok", n: got})
			return
		}
	}
}

func (c *client) look() {
	began := time.Now()
	if snap, err := c.gate.Look(c.Context()); err == nil {
		c.asked(c.id, ask{what: "look"}, began, said{what: "ok", n: snap.Left})
	}
}
