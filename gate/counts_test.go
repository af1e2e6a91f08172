package gate_test

import (
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/gate"
)

// counts holds a look's counts against what they should be.
func counts(t *testing.T, g *gate.Gate, when string, won, lapsed uint64) {
	t.Helper()
	if s := look(t, g); s.Won != won || s.Lapsed != lapsed {
		t.Errorf("%s: %d won, %d lapsed; want %d, %d", when, s.Won, s.Lapsed, won, lapsed)
	}
}

// What is done twice, and what is refused, counts nothing.
func TestCounts_OrdersNotUnits(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		for _, n := range []int{1, 3} {
			g := buckets(t, rdb, fmt.Sprint("toy", n), n, 5)
			ctx := t.Context()
			counts(t, g, "built", 0, 0)
			two := request(1)
			two.Qty, two.PerAccount = 2, 2
			for range 2 {
				reserve(t, g, two)
				counts(t, g, "two units for one", 1, 0)
			}
			one := request(2)
			reserve(t, g, one)
			other := request(2)
			other.Key = "another"
			if _, err := g.Reserve(ctx, other); err == nil {
				t.Error("a second reservation of one account was taken")
			}
			counts(t, g, "one has bought", 2, 0)
			for range 2 {
				if _, err := g.Release(ctx, two.Account, two.Reservation); err != nil {
					t.Fatal(err)
				}
				counts(t, g, "given back", 2, 1)
			}
			if _, err := g.Drop(ctx, one.Account, one.Reservation); err != nil {
				t.Fatal(err)
			}
			counts(t, g, "refused by the ledger", 2, 2)
			again := gate.Receipt{Hold: gate.HoldID(two.Reservation, 2), Account: two.Account, Ticket: two.Ticket, Qty: 2}
			for range 2 {
				if err := g.Retake(ctx, again); err != nil {
					t.Fatal(err)
				}
				counts(t, g, "taken again", 3, 2)
			}
		}
	})
}

func TestCounts_BeginAtWhatLivesAfterARebuild(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		reserve(t, g, request(1))
		if _, err := g.Release(t.Context(), "a1", "none"); err != nil {
			t.Fatal(err)
		}
		drain(t, g)
		build(t, g, gate.Contents{Epoch: 2, Total: 5, Live: []gate.Live{live("r1", "a", "t"), live("r2", "b", "u")}})
		counts(t, g, "rebuilt", 2, 0)
	})
}

// A gate of an older program has no counts: whoever comes first sees what lives. An
// older program beside this one counts nothing, and the reconciler makes up for it.
func TestCounts_BesideAnOlderProgram(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		ctx, state := t.Context(), "wr:{gate:toy/0}:state"
		g := open(t, rdb, 9)
		first := request(1)
		reserve(t, g, first)
		reserve(t, g, request(2))
		if err := rdb.HDel(ctx, state, "won", "lapsed").Err(); err != nil {
			t.Fatal(err)
		}
		counts(t, g, "without counts", 2, 0)
		if _, err := g.Release(ctx, first.Account, first.Reservation); err != nil {
			t.Fatal(err)
		}
		counts(t, g, "one gave back", 2, 1)
		for name, count := range map[string]int{"a buy": 1, "a give-back": 3} { // as if the older one had done it
			if err := rdb.HSet(ctx, state, "won", count).Err(); err != nil {
				t.Fatal(err)
			}
			before := look(t, g)
			if _, err := g.Mend(ctx, nil, nil); err != nil {
				t.Fatal(err)
			}
			after := look(t, g)
			if after.Won-after.Lapsed != 1 || after.Won < before.Won || after.Lapsed < before.Lapsed {
				t.Errorf("after %s that was not counted: %d won, %d lapsed, before %d, %d; want one out, and no count to fall",
					name, after.Won, after.Lapsed, before.Won, before.Lapsed)
			}
		}
	})
}

func TestCounts_OneThatIsNoNumberCloses(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		for _, field := range []string{"won", "lapsed"} {
			g := gate.New(rdb, "toy "+field, 1)
			build(t, g, gate.Contents{Epoch: 1, Total: 5})
			if err := rdb.HSet(t.Context(), "wr:{gate:toy "+field+"/0}:state", field, "-1").Err(); err != nil {
				t.Fatal(err)
			}
			if s := look(t, g); s.Open() {
				t.Errorf("%s of -1 left %+v; want a closed gate", field, s)
			}
		}
	})
}
