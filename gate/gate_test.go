package gate_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
)

// both runs a test on a real Redis and on the embedded one: one contract.
func both(t *testing.T, test func(t *testing.T, rdb *redis.Client)) {
	t.Helper()
	for name, url := range map[string]func(*testing.T) string{
		"redis":    func(t *testing.T) string { return testserver.Redis(t) },
		"embedded": func(t *testing.T) string { return testserver.MiniURL(testserver.Mini(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, client(t, url(t)))
		})
	}
}

func client(t *testing.T, url string) *redis.Client {
	t.Helper()
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	o.MaxRetries, o.ContextTimeoutEnabled = -1, true
	rdb := redis.NewClient(o)
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// open builds a gate with so many units.
func open(t *testing.T, rdb *redis.Client, units int, live ...gate.Live) *gate.Gate {
	t.Helper()
	g := gate.New(rdb, "toy", 1)
	build(t, g, gate.Contents{Epoch: 1, Total: units, Live: live})
	return g
}

func build(t *testing.T, g *gate.Gate, b gate.Contents) {
	t.Helper()
	ctx := t.Context()
	if err := g.Close(ctx, "test"); err != nil {
		t.Fatal(err)
	}
	ok, err := g.Rebuild(ctx, "test", b)
	if err != nil || !ok {
		t.Fatalf("Rebuild = %v, %v; want true", ok, err)
	}
}

func request(n int) gate.Request {
	id := strconv.Itoa(n)
	return gate.Request{
		Reservation: uuid.NewString(), Account: "a" + id, Ticket: "t" + id, Key: "k" + id, Digest: "d",
		Qty: 1, PerAccount: 1, Hold: 10 * time.Minute, MaxBacklog: 1000,
	}
}

func reserve(t *testing.T, g *gate.Gate, r gate.Request) gate.Hold {
	t.Helper()
	h, err := g.Reserve(t.Context(), r)
	if err != nil {
		t.Fatalf("Reserve(%s): %v", r.Account, err)
	}
	return h
}

func look(t *testing.T, g *gate.Gate) gate.Snapshot {
	t.Helper()
	s, err := g.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGate_MissingIsClosed(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := gate.New(rdb, "toy", 1)
		if s := look(t, g); !s.Missing || s.Open() {
			t.Errorf("Look = %+v; want missing", s)
		}
		if _, err := g.Reserve(t.Context(), request(1)); !errors.Is(err, gate.ErrClosed) {
			t.Errorf("Reserve = %v; want ErrClosed", err)
		}
		if _, err := g.Release(t.Context(), "a", "x"); !errors.Is(err, gate.ErrClosed) {
			t.Errorf("Release = %v; want ErrClosed", err)
		}
	})
}

func TestGate_SellsExactlyItsStockUnderACrowd(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		const units, crowd = 20, 200
		g := open(t, rdb, units)
		var won, lost atomic.Int64
		var wg sync.WaitGroup
		for n := range crowd {
			wg.Go(func() {
				r := request(n)
				_, err := g.Reserve(t.Context(), r)
				for range 30 { // on a busy machine answers come late: ask again, as who buys does
					if err == nil || errors.Is(err, gate.ErrSoldOut) {
						break
					}
					_, err = g.Reserve(t.Context(), r)
				}
				switch {
				case err == nil:
					won.Add(1)
				case errors.Is(err, gate.ErrSoldOut):
					lost.Add(1)
				default:
					t.Errorf("Reserve: %v", err)
				}
			})
		}
		wg.Wait()
		if won.Load() != units || lost.Load() != crowd-units {
			t.Errorf("won %d, lost %d; want %d, %d", won.Load(), lost.Load(), units, crowd-units)
		}
		if s := look(t, g); s.Left != 0 || s.Backlog != units || s.Total != units {
			t.Errorf("Look = %+v; want left 0, backlog %d", s, units)
		}
	})
}

func TestGate_SameKeySameHold(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		first := request(1)
		holds := make([]gate.Hold, 20)
		var wg sync.WaitGroup
		for i := range holds {
			wg.Go(func() {
				r := first
				r.Reservation = uuid.NewString() // a copy brings an id of its own
				holds[i] = reserve(t, g, r)
			})
		}
		wg.Wait()
		fresh := 0
		for _, h := range holds {
			if h.Reservation != holds[0].Reservation || !h.PayBefore.Equal(holds[0].PayBefore) {
				t.Errorf("hold %+v; want that of %+v", h, holds[0])
			}
			if !h.Again {
				fresh++
			}
		}
		if s := look(t, g); fresh != 1 || s.Left != 4 || s.Backlog != 1 {
			t.Errorf("%d fresh holds, look %+v; want 1 and 4 left", fresh, s)
		}

		other := first
		other.Digest = "another body"
		if _, err := g.Reserve(t.Context(), other); !errors.Is(err, gate.ErrKeyReused) {
			t.Errorf("other body: %v; want ErrKeyReused", err)
		}
		stranger := request(2)
		stranger.Key = first.Key
		if h := reserve(t, g, stranger); h.Again {
			t.Error("another account's key found the first one's hold")
		}
	})
}

func TestGate_OnePerAccountAndPerTicket(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		h := reserve(t, g, request(1))
		for name, change := range map[string]func(*gate.Request){
			"same account, other ticket": func(r *gate.Request) { r.Account = "a1" },
			"same ticket, other account": func(r *gate.Request) { r.Ticket = "t1" },
		} {
			r := request(2)
			change(&r)
			_, err := g.Reserve(t.Context(), r)
			if already, ok := errors.AsType[*gate.AlreadyBoughtError](err); !ok || already.Reservation != h.Reservation {
				t.Errorf("%s: %v; want already bought %s", name, err, h.Reservation)
			}
		}
		if s := look(t, g); s.Left != 4 {
			t.Errorf("left %d; want 4", s.Left)
		}
	})
}

func TestGate_SplittingDoesNotPassTheLimit(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 10)
		ask := func(key string, qty int) (gate.Hold, error) {
			r := request(1)
			r.Key, r.PerAccount, r.Qty = key, 3, qty
			return g.Reserve(t.Context(), r)
		}
		if _, err := ask("k0", 4); !errors.Is(err, gate.ErrTooMany) {
			t.Errorf("4 of at most 3: %v; want ErrTooMany", err)
		}
		h, err := ask("k1", 2)
		if err != nil {
			t.Fatal(err)
		}
		// The books have one live order an account: what is told yes here must
		// become one.
		_, err = ask("k2", 1)
		if already, ok := errors.AsType[*gate.AlreadyBoughtError](err); !ok || already.Reservation != h.Reservation {
			t.Errorf("another one, within the limit: %v; want already bought %s", err, h.Reservation)
		}
		if s := look(t, g); s.Left != 8 {
			t.Errorf("left %d; want 8", s.Left)
		}
	})
}

func TestGate_GivesBackOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 1)
		h := reserve(t, g, request(1))
		var gave atomic.Int64
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				ok, err := g.Release(t.Context(), "a1", h.Reservation)
				if err != nil {
					t.Error(err)
				}
				if ok {
					gave.Add(1)
				}
			})
		}
		wg.Wait()
		if s := look(t, g); gave.Load() != 1 || s.Left != 1 {
			t.Errorf("gave back %d times, left %d; want 1, 1", gave.Load(), s.Left)
		}
		// The same person may buy again, and that is no retry, even with the same key.
		if again := reserve(t, g, request(1)); again.Again || again.Reservation == h.Reservation {
			t.Errorf("second reservation %+v is the first", again)
		}
	})
}

func TestGate_DropGivesNothingBack(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 2)
		h := reserve(t, g, request(1))
		if ok, err := g.Drop(t.Context(), "a1", h.Reservation); err != nil || !ok {
			t.Fatalf("Drop = %v, %v", ok, err)
		}
		if s := look(t, g); s.Left != 1 {
			t.Errorf("left %d; want 1", s.Left)
		}
		reserve(t, g, request(1)) // the account is free again
	})
}

func TestGate_BacklogClosesBeforeAnythingIsLost(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 10)
		for n := range 3 {
			r := request(n)
			r.MaxBacklog = 2
			_, err := g.Reserve(t.Context(), r)
			if want := n == 2; errors.Is(err, gate.ErrBacklog) != want {
				t.Errorf("winner %d: %v; want refused %v", n, err, want)
			}
		}
		if s := look(t, g); s.Left != 8 {
			t.Errorf("left %d; want 8", s.Left)
		}
	})
}

// older makes a store's gate the copy that it was when the returned func was
// called: what happens between the two calls is forgotten.
func older(t *testing.T, rdb *redis.Client, key string) (forget func()) {
	t.Helper()
	was, err := rdb.HGetAll(t.Context(), key).Result()
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		tear(t, rdb.Del(t.Context(), key).Err())
		tear(t, rdb.HSet(t.Context(), key, was).Err())
	}
}

// drain lets the ledger have what is on its way.
func drain(t *testing.T, g *gate.Gate) {
	t.Helper()
	for _, r := range g.Winners("drain") {
		for _, w := range read(t, r, 1000) {
			if err := r.Done(t.Context(), w.Entry); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestGate_OlderCopyClosesUntilRebuilt(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 10)
		forget := older(t, rdb, tag+"state")
		reserve(t, g, request(1))
		forget()
		if _, err := g.Reserve(t.Context(), request(2)); !errors.Is(err, gate.ErrClosed) {
			t.Fatalf("Reserve = %v; want ErrClosed", err)
		}
		if _, err := gate.New(rdb, "toy", 1).Reserve(t.Context(), request(3)); !errors.Is(err, gate.ErrClosed) {
			t.Errorf("after it, for all: %v; want ErrClosed", err)
		}
		if s := look(t, g); s.Open() || s.Floor != 1 {
			t.Errorf("Look = %+v; want closed, floor 1", s)
		}
		drain(t, g)
		build(t, g, gate.Contents{Epoch: 2, Total: 10})
		reserve(t, g, request(2))
	})
}

// Whoever saw the newest state may never be asked for a unit again: a look is
// enough, and it closes the gate for those who saw less.
func TestGate_OlderCopyIsClosedByALook(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		for _, buckets := range []int{1, 3} {
			saw, sawLess := gate.New(rdb, "toy", buckets), gate.New(rdb, "toy", buckets)
			build(t, saw, gate.Contents{Epoch: uint64(buckets), Total: 10})
			home := gate.Home(request(1).Account, buckets)
			forget := older(t, rdb, "wr:{"+gate.Tag("toy", home)+"}:state")
			look(t, sawLess)
			reserve(t, saw, request(1))
			forget()
			if s := look(t, sawLess); !s.Open() {
				t.Errorf("%d buckets: Look of who saw less = %+v; want open", buckets, s)
			}
			if s := look(t, saw); s.Open() {
				t.Errorf("%d buckets: Look of who saw more = %+v; want closed", buckets, s)
			}
			if s := look(t, sawLess); s.Open() {
				t.Errorf("%d buckets: Look of who saw less, afterwards = %+v; want closed", buckets, s)
			}
			drain(t, saw)
		}
	})
}

func TestGate_RebuildFromBooks(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		pay := time.Now().Add(time.Minute).Truncate(time.Millisecond)
		live := []gate.Live{
			{Receipt: gate.Receipt{Hold: "r1", Account: "a1", Ticket: "t1", Qty: 1, Taken: pay},
				Note: gate.Note{Reservation: "r1", Status: gate.Held, PayBefore: pay, Version: 1, Qty: 1}},
			{Receipt: gate.Receipt{Hold: "r2/2", Account: "a2", Ticket: "t2", Qty: 2, Taken: pay},
				Note: gate.Note{Reservation: "r2", Status: gate.Paid, Version: 4, Qty: 2}},
		}
		g := open(t, rdb, 5, live...)
		if s := look(t, g); s.Left != 2 || s.Paid != 2 || s.Total != 5 || !s.Open() {
			t.Errorf("Look = %+v; want 2 left, 2 paid of 5", s)
		}
		n, ok, err := g.FindByTicket(t.Context(), "a1", "t1")
		if err != nil || !ok || n.Reservation != "r1" || n.Status != gate.Held || !n.PayBefore.Equal(pay) {
			t.Errorf("FindByTicket = %+v, %v, %v", n, ok, err)
		}
		_, err = g.Reserve(t.Context(), request(2))
		if already, ok := errors.AsType[*gate.AlreadyBoughtError](err); !ok || already.Reservation != "r2" {
			t.Errorf("a2 again: %v; want already bought r2", err)
		}
	})
}

func TestGate_RebuildLeavesNewerNotes(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := gate.New(rdb, "toy", 1)
		if err := g.Tell(t.Context(), gate.Note{Reservation: "r1", Status: gate.Paid, Version: 2, Qty: 1}); err != nil {
			t.Fatal(err)
		}
		build(t, g, gate.Contents{Epoch: 1, Total: 5, Live: []gate.Live{{ // read before it was paid
			Receipt: gate.Receipt{Hold: "r1", Account: "a1", Ticket: "t1", Qty: 1},
			Note:    gate.Note{Reservation: "r1", Status: gate.Held, Version: 1, Qty: 1},
		}}})
		if n, ok, err := g.Find(t.Context(), "a1", "r1"); err != nil || !ok || n.Status != gate.Paid {
			t.Errorf("Find = %+v, %v, %v; want paid", n, ok, err)
		}
	})
}

func TestGate_RebuildWaitsForWinnersAndForItsOwnClosing(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		reserve(t, g, request(1))
		for _, try := range []struct{ closed, why string }{
			{"mine", "mine"},    // a winner is on its way
			{"other's", "mine"}, // somebody else closed it since
		} {
			if err := g.Close(t.Context(), try.closed); err != nil {
				t.Fatal(err)
			}
			if ok, err := g.Rebuild(t.Context(), try.why, gate.Contents{Epoch: 9, Total: 5}); ok || err != nil {
				t.Errorf("closed by %s: Rebuild = %v, %v; want false", try.closed, ok, err)
			}
		}
	})
}

func TestGate_TotalMovesByTheDifference(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		reserve(t, g, request(1))
		reserve(t, g, request(2))
		for _, step := range []struct{ ask, total, left int }{
			{8, 8, 6}, {8, 8, 6}, {3, 3, 1}, {1, 2, 0}, {2, 2, 0}, {4, 4, 2},
		} {
			got, err := g.SetTotal(t.Context(), step.ask)
			if s := look(t, g); err != nil || got != step.total || s.Left != step.left || s.Total != step.total {
				t.Errorf("SetTotal(%d) = %d, %v, left %d; want %d, left %d", step.ask, got, err, s.Left, step.total, step.left)
			}
		}
	})
}

// While more is out than there is, the total that is there is no reason to add.
func TestGate_TotalOfAGateThatOwes(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		var held []gate.Live
		for i := range 4 {
			held = append(held, live(fmt.Sprint("r", i), fmt.Sprint("a", i), fmt.Sprint("t", i)))
		}
		g := open(t, rdb, 2, held...)
		for _, step := range []struct{ ask, total int }{{2, 2}, {1, 2}, {3, 3}, {2, 3}, {5, 5}, {4, 4}} {
			if got, err := g.SetTotal(t.Context(), step.ask); err != nil || got != step.total {
				t.Errorf("SetTotal(%d) = %d, %v; want %d", step.ask, got, err, step.total)
			}
		}
		whole(t, g, 4, 4)
	})
}

func TestGate_RetakeIsAHoldOfItsOwn(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 1)
		h := reserve(t, g, request(1))
		if _, err := g.Release(t.Context(), "a1", h.Reservation); err != nil {
			t.Fatal(err)
		}
		second := gate.Receipt{Hold: gate.HoldID(h.Reservation, 2), Account: "a1", Ticket: "t1", Qty: 1}
		for range 2 {
			if err := g.Retake(t.Context(), second); err != nil {
				t.Fatal(err)
			}
		}
		// The first hold's give-back, late and again, must not touch the second.
		if ok, err := g.Release(t.Context(), "a1", h.Reservation); ok || err != nil {
			t.Errorf("late Release = %v, %v; want false", ok, err)
		}
		if s := look(t, g); s.Left != 0 || s.Backlog != 1 {
			t.Errorf("Look = %+v; want nothing left and one winner", s)
		}
		for _, owner := range [][2]string{{"a1", "t9"}, {"a9", "t1"}} {
			other := gate.Receipt{Hold: gate.HoldID("x", 2), Account: owner[0], Ticket: owner[1], Qty: 1}
			err := g.Retake(t.Context(), other)
			if already, ok := errors.AsType[*gate.AlreadyBoughtError](err); !ok || already.Reservation != h.Reservation {
				t.Errorf("Retake for %v: %v; want already bought %s", owner, err, h.Reservation)
			}
		}
		third := gate.Receipt{Hold: gate.HoldID("x", 2), Account: "a9", Ticket: "t9", Qty: 1}
		if err := g.Retake(t.Context(), third); !errors.Is(err, gate.ErrSoldOut) {
			t.Errorf("Retake of nothing: %v; want ErrSoldOut", err)
		}
	})
}

func TestGate_NotesNeverGoBack(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 2)
		h := reserve(t, g, request(1))
		tell := func(s gate.Status, version int) {
			t.Helper()
			if err := g.Tell(t.Context(), gate.Note{Reservation: h.Reservation, Status: s, Version: version, Qty: 1}); err != nil {
				t.Fatal(err)
			}
		}
		expect := func(want gate.Status, paid int) {
			t.Helper()
			n, ok, err := g.Find(t.Context(), "a1", h.Reservation)
			if s := look(t, g); err != nil || !ok || n.Status != want || s.Paid != paid {
				t.Errorf("Find = %+v, %v, %v, paid %d; want %s, %d", n, ok, err, s.Paid, want, paid)
			}
		}
		expect(gate.Finishing, 0)
		tell(gate.Paid, 2)
		tell(gate.Held, 1)
		tell(gate.Paid, 2)
		expect(gate.Paid, 1)
		tell(gate.RefundDue, 3)
		expect(gate.RefundDue, 0)
	})
}

func TestGate_MendLeavesWinnersAlone(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		reserve(t, g, request(1)) // on its way
		lost := reserve(t, g, request(2))
		a, err := g.Audit(t.Context())
		if err != nil || len(a.Receipts) != 2 {
			t.Fatalf("Audit = %+v, %v; want two receipts", a, err)
		}
		for _, r := range a.Receipts {
			if r.Hold == lost.Reservation {
				if err := g.Winners("w")[0].Done(t.Context(), r.Entry); err != nil {
					t.Fatal(err)
				}
			}
		}
		missing := []gate.Live{{
			Receipt: gate.Receipt{Hold: "r7", Account: "a7", Ticket: "t7", Qty: 1},
			Note:    gate.Note{Reservation: "r7", Status: gate.Paid, Qty: 1},
		}}
		orphans := a.Receipts // one is in the stream, the other is not
		m, err := g.Mend(t.Context(), missing, orphans)
		if want := (gate.Mended{Restored: 1, Freed: 1, Shifted: -1}); err != nil || m != want {
			t.Errorf("Mend = %+v, %v; want %+v", m, err, want)
		}
		if s := look(t, g); s.Left != 3 || s.Paid != 1 {
			t.Errorf("Look = %+v; want 3 left, 1 paid", s)
		}
		if m, err := g.Mend(t.Context(), missing, orphans); err != nil || m != (gate.Mended{}) {
			t.Errorf("second Mend = %+v, %v; want nothing", m, err)
		}
	})
}

// More may be out than there is, after a loss. What comes back then only makes up
// for it.
func TestGate_SellsNothingWhileMoreIsOutThanThereIs(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 1)
		h := reserve(t, g, request(1))
		missing := []gate.Live{{
			Receipt: gate.Receipt{Hold: "r7", Account: "a7", Ticket: "t7", Qty: 1},
			Note:    gate.Note{Reservation: "r7", Status: gate.Held, Version: 1, Qty: 1},
		}}
		if m, err := g.Mend(t.Context(), missing, nil); err != nil || m.Restored != 1 || m.Shifted != -1 {
			t.Fatalf("Mend = %+v, %v; want one restored and one unit less", m, err)
		}
		if ok, err := g.Release(t.Context(), "a1", h.Reservation); err != nil || !ok {
			t.Fatalf("Release = %v, %v", ok, err)
		}
		if s := look(t, g); s.Left != 0 {
			t.Errorf("left %d of 1 with one out; want 0", s.Left)
		}
		if _, err := g.Reserve(t.Context(), request(2)); !errors.Is(err, gate.ErrSoldOut) {
			t.Errorf("Reserve = %v; want ErrSoldOut", err)
		}
	})
}

// The state that refused is told, so that a caller knows how new it is.
func TestGate_TellsTheMarkBesideARefusal(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 1)
		sold := reserve(t, g, request(1))
		h, err := g.Reserve(t.Context(), request(2))
		if !errors.Is(err, gate.ErrSoldOut) || h != (gate.Hold{Mark: sold.Mark}) {
			t.Errorf("Reserve = %+v, %v; want sold out at mark %+v", h, err, sold.Mark)
		}
	})
}

func TestLoad_SaysWhatItCouldNotDo(t *testing.T) {
	t.Parallel()
	rdb := embedded(t)
	if err := gate.Load(t.Context(), rdb); err != nil {
		t.Fatal(err)
	}
	if err := rdb.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gate.Load(t.Context(), rdb); !errors.Is(err, redis.ErrClosed) || !strings.HasPrefix(err.Error(), "load gate scripts: ") {
		t.Errorf("Load = %v; want what it did, and the cause", err)
	}
}

// TestGate_OddQuantities: what is not a whole number from one takes nothing and
// gives nothing.
func TestGate_OddQuantities(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		for _, qty := range []int{-1, 0, -5, 2, 9007199254740993} {
			r := request(1)
			r.Qty, r.Key = qty, strconv.Itoa(qty)
			if h, err := g.Reserve(t.Context(), r); err == nil {
				t.Errorf("%d units: %+v, want an error", qty, h)
			}
		}
		if left := look(t, g).Left; left != 5 {
			t.Errorf("%d units left, want all 5", left)
		}
	})
}
