package gate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/gate"
)

// winning are the receipts of a gate that came with a winner.
func winning(t *testing.T, g *gate.Gate) []gate.Receipt {
	t.Helper()
	all, err := g.Winning(t.Context())
	tear(t, err)
	return all
}

// anew sends winners anew and wants so many of them sent, and so many too late.
func anew(t *testing.T, g *gate.Gate, receipts []gate.Receipt, sent, late int) {
	t.Helper()
	n, over, err := g.Anew(t.Context(), receipts)
	tear(t, err)
	if n != sent || len(over) != late {
		t.Errorf("Anew = %d sent, %d over; want %d, %d", n, len(over), sent, late)
	}
}

// lose deletes every stream of a gate.
func lose(t *testing.T, rdb *redis.Client, buckets int) {
	t.Helper()
	for i := range buckets {
		tear(t, rdb.Del(t.Context(), "wr:{"+gate.Tag("toy", i)+"}:winners").Err())
	}
}

// What was lost with the stream comes again, once, as what it was and with the time
// that it has left; what was not is left alone.
func TestAnew_WinnersComeAgain(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		for _, n := range []int{1, 3} {
			g := gate.New(rdb, "toy", n)
			build(t, g, gate.Contents{Epoch: uint64(n), Total: 900, Live: []gate.Live{live("other", "x", "y")}})
			asked := map[string]gate.Request{}
			for i := range 450 { // more than a page
				r := request(i)
				reserve(t, g, r)
				asked[r.Reservation] = r
			}
			tear(t, g.Retake(t.Context(), gate.Receipt{Hold: "late/2", Account: "late", Ticket: "late", Qty: 1}))
			had := winning(t, g)
			anew(t, g, had, 0, 0)
			lose(t, rdb, n)
			anew(t, g, append(had, gate.Receipt{Hold: "nobody", Account: "nobody"}), 450, 0)
			anew(t, g, had, 0, 0)
			if s := look(t, g); s.Left != 900-452 || s.Backlog != 450 {
				t.Errorf("%d buckets: got %+v, want 448 left and 450 on their way", n, s)
			}
			for _, reader := range g.Winners("one") {
				for _, w := range read(t, reader, 1000) {
					r := asked[w.Reservation]
					if w.Account != r.Account || w.Ticket != r.Ticket || w.Qty != r.Qty || w.Fault != nil ||
						w.Hold > r.Hold || w.Hold < r.Hold-time.Minute || time.Since(w.Reserved) > time.Minute {
						t.Fatalf("%d buckets: got %+v, want what was asked: %+v", n, w, r)
					}
					delete(asked, w.Reservation)
					tear(t, reader.Done(t.Context(), w.Entry))
				}
			}
			if len(asked) > 0 {
				t.Errorf("%d buckets: %d never came", n, len(asked))
			}
		}
	})
}

// A closed gate does it too, and then waits for them.
func TestAnew_BeforeARebuild(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		reserve(t, g, request(1))
		lose(t, rdb, 1)
		tear(t, g.Close(t.Context(), "test"))
		anew(t, g, winning(t, g), 1, 0)
		if ok, err := g.Rebuild(t.Context(), "test", gate.Contents{Epoch: 2, Total: 5}); ok || err != nil {
			t.Errorf("Rebuild over one that was sent anew = %v, %v; want false", ok, err)
		}
	})
}

// Whose time to pay is over is told so, and is not sold to once more.
func TestAnew_TooLate(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		r := request(1)
		r.Hold = time.Millisecond
		reserve(t, g, r)
		lose(t, rdb, 1)
		time.Sleep(5 * time.Millisecond)
		_, over, err := g.Anew(t.Context(), winning(t, g))
		tear(t, err)
		if len(over) != 1 || over[0].Hold != r.Reservation {
			t.Errorf("over: got %+v, want %s", over, r.Reservation)
		}
		if s := look(t, g); s.Left != 4 || s.Backlog != 0 {
			t.Errorf("got %+v, want it out and not on its way", s)
		}
	})
}

func TestWinning_PassesOverWhatItCannotRead(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5, live("order", "a", "b"))
		r := request(1)
		reserve(t, g, r)
		tear(t, rdb.HSet(t.Context(), "wr:{gate:toy/0}:receipts", "odd", "{").Err())
		if got := winning(t, g); !slices.ContainsFunc(got, func(have gate.Receipt) bool { return have.Hold == r.Reservation }) || len(got) != 1 {
			t.Errorf("got %+v, want %s alone", got, r.Reservation)
		}
		tear(t, rdb.Set(t.Context(), "wr:{gate:toy/0}:receipts", "not a hash", 0).Err())
		if got := winning(t, g); len(got) != 0 {
			t.Errorf("of another type: got %+v", got)
		}
	})
}

// Who saw a receipt as an orphan before its winner was sent anew, and written, does
// not free what is an order's by now.
func TestAnew_OrphansOfBeforeStay(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := gate.New(rdb, "toy", 3)
		build(t, g, gate.Contents{Epoch: 1, Total: 9})
		reserve(t, g, request(1))
		orphans := winning(t, g)
		lose(t, rdb, 3)
		anew(t, g, orphans, 1, 0)
		for _, r := range winning(t, g) {
			for _, reader := range g.Winners("w") {
				tear(t, reader.Done(t.Context(), r.Entry))
			}
		}
		if m, err := g.Mend(t.Context(), nil, orphans); err != nil || m.Freed != 0 {
			t.Errorf("Mend = %+v, %v; want nothing freed", m, err)
		}
	})
}
