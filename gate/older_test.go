package gate_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/gate"
)

// Whatever is done first at an older copy finds that it is one: the moves that it
// would add could make up for those that are missing.
func TestGate_OlderCopyIsClosedByWhateverComes(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		first := request(1)
		for name, do := range map[string]func(context.Context, *gate.Gate) error{
			"look": func(ctx context.Context, g *gate.Gate) error { _, err := g.Look(ctx); return err },
			"tell": func(ctx context.Context, g *gate.Gate) error {
				return g.Tell(ctx, gate.Note{Reservation: first.Reservation, Account: first.Account, Status: gate.Paid, Version: 2, Qty: 1})
			},
			"tell again": func(ctx context.Context, g *gate.Gate) error {
				_, err := g.Retell(ctx, []gate.Note{{Reservation: first.Reservation, Account: first.Account, Status: gate.Paid, Version: 2}})
				return err
			},
			"find": func(ctx context.Context, g *gate.Gate) error {
				_, _, err := g.Find(ctx, first.Account, "x")
				return err
			},
			"reserve": func(ctx context.Context, g *gate.Gate) error { _, err := g.Reserve(ctx, request(3)); return err },
			"release": func(ctx context.Context, g *gate.Gate) error {
				_, err := g.Release(ctx, first.Account, first.Reservation)
				return err
			},
			"retake": func(ctx context.Context, g *gate.Gate) error {
				return g.Retake(ctx, gate.Receipt{Hold: "x/2", Account: "x", Ticket: "x", Qty: 1})
			},
			"total": func(ctx context.Context, g *gate.Gate) error { _, err := g.SetTotal(ctx, 20); return err },
			"mend":  func(ctx context.Context, g *gate.Gate) error { _, err := g.Mend(ctx, nil, nil); return err },
			"settle": func(ctx context.Context, g *gate.Gate) error {
				_, err := g.Winners("w")[0].Settle(ctx, []string{"9-9"}, []gate.Note{{Reservation: first.Reservation, Version: 1, Qty: 1}})
				return err
			},
		} {
			key := "toy " + name
			g := gate.New(rdb, key, 1)
			build(t, g, gate.Contents{Epoch: 1, Total: 10})
			reserve(t, g, first)
			forget := older(t, rdb, fmt.Sprintf("wr:{gate:%s/0}:state", key))
			reserve(t, g, request(2))
			forget()
			if err := do(t.Context(), g); err != nil && !errors.Is(err, gate.ErrClosed) {
				t.Errorf("%s: %v", name, err)
			}
			if s := look(t, gate.New(rdb, key, 1)); s.Open() || s.Floor != 1 {
				t.Errorf("%s left %+v; want a closed gate, floor 1", name, s)
			}
		}
	})
}

// An older copy that has made as many moves of its own is not the gate that was seen:
// also when what was seen is a note alone.
func TestGate_CopyWithAPastOfItsOwnCloses(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		for name, saw := range map[string]func(g *gate.Gate) error{
			"a unit": func(g *gate.Gate) error { _, err := g.Reserve(t.Context(), request(1)); return err },
			"a note": func(g *gate.Gate) error {
				return g.Tell(t.Context(), gate.Note{Reservation: "r", Account: "a", Status: gate.Expired, Version: 2, Qty: 1})
			},
		} {
			for _, moves := range []int{1, 2, 7} {
				key := fmt.Sprint("toy ", name, moves)
				g, other := gate.New(rdb, key, 1), gate.New(rdb, key, 1)
				build(t, g, gate.Contents{Epoch: 1, Total: 10})
				look(t, other)
				forget := older(t, rdb, fmt.Sprintf("wr:{gate:%s/0}:state", key))
				tear(t, saw(g))
				forget()
				for n := range moves {
					reserve(t, other, request(10+n))
				}
				if s := look(t, g); s.Open() || s.Closed != "older than one already seen" {
					t.Errorf("%s, then %d moves of somebody else: %+v; want a closed gate", name, moves, s)
				}
				if s := look(t, other); s.Open() {
					t.Errorf("%s, then %d moves of somebody else: they find %+v; want a closed gate", name, moves, s)
				}
			}
		}
	})
}

// However much has happened since, what was seen is believed: nobody is shut out of a
// gate that is the same.
func TestGate_WhoSawItLongAgoIsServed(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g, rare := open(t, rdb, 1000), gate.New(rdb, "toy", 1)
		for n := range 600 {
			reserve(t, g, request(n))
			if n == 10 || n == 300 {
				look(t, rare)
			}
		}
		if s := look(t, rare); !s.Open() || s.Left != 400 {
			t.Errorf("Look = %+v; want 400 left", s)
		}
	})
}

// What somebody saw of each bucket, a newcomer knows by heart: one that rolls back
// alone is found, though the others have moved on by more.
func TestBuckets_OneThatRollsBackIsKnownToWhoWasTold(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		const n = 3
		g := buckets(t, rdb, "toy", n, 30)
		forget := older(t, rdb, "wr:{"+gate.Tag("toy", 1)+"}:state")
		reserve(t, g, at(1, n, 1))
		seen := g.Seen()
		forget()
		for i := range 5 {
			reserve(t, gate.New(rdb, "toy", n), at(2, n, 10+i))
		}
		newcomer := gate.New(rdb, "toy", n)
		newcomer.Remember(seen[:2]) // of another number of buckets
		if s := look(t, newcomer); !s.Open() {
			t.Fatalf("Look of who knows nothing = %+v; want open", s)
		}
		newcomer.Remember(seen)
		if s := look(t, newcomer); s.Open() {
			t.Errorf("Look of who was told = %+v; want closed", s)
		}
	})
}

// A copy that went on by as many moves as it forgot is known as well.
func TestBuckets_OneThatWentOnAnotherWayIsKnownToWhoWasTold(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		const n = 3
		g := buckets(t, rdb, "toy", n, 30)
		forget := older(t, rdb, "wr:{"+gate.Tag("toy", 1)+"}:state")
		reserve(t, g, at(1, n, 1))
		seen := g.Seen()
		forget()
		for i := range 3 {
			reserve(t, gate.New(rdb, "toy", n), at(1, n, 10+i))
		}
		newcomer := gate.New(rdb, "toy", n)
		newcomer.Remember(seen)
		if _, err := newcomer.Reserve(t.Context(), at(1, n, 20)); !errors.Is(err, gate.ErrClosed) {
			t.Errorf("Reserve of who was told = %v; want closed", err)
		}
	})
}

// The ledger knows of a payment before the gate is told. What is mended in between
// does not count it, or it would count twice.
func TestGate_MendCountsWhatWasTold(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		for _, n := range []int{1, 3} {
			key := fmt.Sprint("toy", n)
			g := buckets(t, rdb, key, n, 2)
			for i := range 2 {
				h := reserve(t, g, at(0, n, i))
				r := gate.Note{Reservation: h.Reservation, Account: at(0, n, i).Account, Version: 1, Qty: 1}
				for _, r.Status = range []gate.Status{gate.Held, gate.Paid} {
					_, err := g.Mend(t.Context(), nil, nil)
					tear(t, err)
					tear(t, g.Tell(t.Context(), r))
					r.Version++
				}
				if s := look(t, g); s.Paid != i+1 || s.Final() != (i == 1) {
					t.Errorf("%d buckets: %+v, final %t; want %d paid", n, s, s.Final(), i+1)
				}
			}
			state := fmt.Sprintf("wr:{gate:%s/0}:state", key)
			for _, wrong := range []int{0, 1, 7} {
				tear(t, rdb.HSet(t.Context(), state, "paid", wrong).Err())
				_, err := g.Mend(t.Context(), nil, nil)
				if s := look(t, g); err != nil || s.Paid != 2 {
					t.Errorf("%d buckets, Mend of %d paid: %v, %+v; want 2 paid", n, wrong, err, s)
				}
			}
		}
	})
}

// Notes that are forgotten are told again, and no unit counts as paid twice.
func TestGate_TellsAgainWhatIsForgotten(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		for _, n := range []int{1, 3} {
			key := fmt.Sprint("toy", n)
			g := buckets(t, rdb, key, n, 1000)
			var notes []gate.Note
			for i := range 350 {
				note := gate.Note{Reservation: fmt.Sprint("r", i), Account: fmt.Sprint("a", i), Status: gate.Paid, Version: 2, Qty: 1}
				tear(t, g.Tell(t.Context(), note))
				notes = append(notes, note)
			}
			if lost, err := g.Retell(t.Context(), notes); lost != 0 || err != nil {
				t.Errorf("Retell = %d, %v; want none", lost, err)
			}
			home := gate.Home("a7", n)
			tear(t, rdb.HDel(t.Context(), "wr:{"+gate.Tag(key, home)+"}:notes", "r7").Err())
			tear(t, rdb.HSet(t.Context(), "wr:{"+gate.Tag(key, gate.Home("a8", n))+"}:notes", "r8",
				`{"status":"held","pay_before":0,"version":1,"qty":1}`).Err())
			for _, want := range []int{2, 0} {
				if lost, err := g.Retell(t.Context(), notes); lost != want || err != nil {
					t.Errorf("Retell = %d, %v; want %d", lost, err, want)
				}
			}
			for _, i := range []int{7, 8} {
				if note, ok, err := g.Find(t.Context(), notes[i].Account, notes[i].Reservation); !ok || err != nil || note.Status != gate.Paid {
					t.Errorf("Find = %+v, %v, %v; want paid", note, ok, err)
				}
			}
			if s := look(t, g); s.Paid != 350 {
				t.Errorf("%d units paid; want 350", s.Paid)
			}
		}
	})
}

// A Gate that began after a failover has seen nothing but the older copy, which has made
// as many moves of its own. What somebody else saw of it closes it all the same.
func TestGate_RetraceFindsACopyThatWasSeenFirst(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		for _, moves := range []int{1, 2, 7} {
			key := fmt.Sprint("toy", moves)
			g := gate.New(rdb, key, 1)
			build(t, g, gate.Contents{Epoch: 1, Total: 10})
			reserve(t, g, request(1))
			early := g.Seen()
			forget := older(t, rdb, fmt.Sprintf("wr:{gate:%s/0}:state", key))
			reserve(t, g, request(2))
			seen := g.Seen()
			forget()
			later := gate.New(rdb, key, 1)
			for n := range moves {
				reserve(t, later, request(10+n))
			}
			tear(t, later.Retrace(t.Context(), early))
			if s := look(t, later); !s.Open() {
				t.Errorf("%d moves: %+v after a state that is in its past; want an open gate", moves, s)
			}
			tear(t, later.Retrace(t.Context(), seen))
			if s := look(t, later); s.Open() || s.Closed != "older than one already seen" || s.Floor != 1 {
				t.Errorf("%d moves: %+v; want a closed gate, floor 1", moves, s)
			}
		}
	})
}
