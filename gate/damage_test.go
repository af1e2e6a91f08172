package gate_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/gate"
)

const tag = "wr:{gate:toy/0}:"

// tear does to the store what no script would.
func tear(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func live(hold, account, ticket string) gate.Live {
	return gate.Live{
		Receipt: gate.Receipt{Hold: hold, Account: account, Ticket: ticket, Qty: 1},
		Note:    gate.Note{Reservation: hold, Status: gate.Held, Version: 1, Qty: 1},
	}
}

// A receipt that was lost and is restored counts once: when it ends, its buyer
// may buy again.
func TestGate_MendFilesAReceiptOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		h := reserve(t, g, request(1))
		tear(t, rdb.HDel(t.Context(), tag+"receipts", h.Reservation).Err())
		m, err := g.Mend(t.Context(), []gate.Live{live(h.Reservation, "a1", "t1")}, nil, 0)
		if want := (gate.Mended{Restored: 1}); err != nil || m != want {
			t.Fatalf("Mend = %+v, %v; want %+v", m, err, want)
		}
		if again := reserve(t, g, request(1)); !again.Again || again.Reservation != h.Reservation {
			t.Errorf("the same key = %+v; want the hold that was mended", again)
		}
		if ok, err := g.Release(t.Context(), "a1", h.Reservation); err != nil || !ok {
			t.Fatalf("Release = %v, %v", ok, err)
		}
		if again := reserve(t, g, request(1)); again.Again || again.Left != 4 {
			t.Errorf("after the give-back: %+v; want a fresh hold, 4 left", again)
		}
	})
}

// What the index says of a hold without a receipt is not believed.
func TestGate_IgnoresWhatHasNoReceipt(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		h := reserve(t, g, request(1))
		tear(t, rdb.HDel(t.Context(), tag+"receipts", h.Reservation).Err())
		r := request(1)
		r.Digest = "another body"
		if again := reserve(t, g, r); again.Again || again.Reservation != r.Reservation {
			t.Errorf("the key of a lost receipt = %+v; want a fresh hold", again)
		}
		if again := reserve(t, g, r); !again.Again || again.Reservation != r.Reservation {
			t.Errorf("the key again = %+v; want the same hold", again)
		}
	})
}

func TestGate_MendSetsTheIndexRight(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		h := reserve(t, g, request(1))
		index := tag + "index"
		other := reserve(t, g, request(2))
		reserve(t, g, request(3))
		tear(t, rdb.HDel(t.Context(), index, "a:a1").Err())
		tear(t, rdb.HSet(t.Context(), index, "t:t2", "gone", "a:a9", "gone").Err()) // the last is harmless
		a, err := g.Audit(t.Context())
		if err != nil || a.Misfiled != 2 || !a.Steady {
			t.Errorf("Audit = %+v, %v; want 2 misfiled", a, err)
		}
		for _, want := range []gate.Mended{{Refiled: 2}, {}} {
			if m, err := g.Mend(t.Context(), nil, nil, 0); err != nil || m != want {
				t.Errorf("Mend = %+v, %v; want %+v", m, err, want)
			}
		}
		got, err := rdb.HMGet(t.Context(), index, "a:a1", "t:t1", "a:a2", "t:t2").Result()
		want := []any{h.Reservation, h.Reservation, other.Reservation, other.Reservation}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("index %v, %v; want %v", got, err, want)
		}
	})
}

// Redis undoes nothing: where a key is of another type, a script must fail before
// it has written any.
func TestGate_WritesNothingBesideAKeyOfAnotherType(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		h := reserve(t, g, request(1))
		ops := map[string]func(context.Context) error{
			"reserve": func(ctx context.Context) error { _, err := g.Reserve(ctx, request(2)); return err },
			"release": func(ctx context.Context) error { _, err := g.Release(ctx, "a1", h.Reservation); return err },
			"retake": func(ctx context.Context) error {
				return g.Retake(ctx, gate.Receipt{Hold: "x/2", Account: "a3", Ticket: "t3", Qty: 1})
			},
			"mend": func(ctx context.Context) error {
				_, err := g.Mend(ctx, []gate.Live{live("r7", "a7", "t7")}, nil, 0)
				return err
			},
			"tell": func(ctx context.Context) error {
				return g.Tell(ctx, gate.Note{Reservation: h.Reservation, Status: gate.Paid, Version: 2, Qty: 1})
			},
		}
		for _, torn := range []string{"state", "receipts", "index", "winners", "notes"} {
			away := tag + "away"
			moved := rdb.Rename(t.Context(), tag+torn, away).Err() == nil // notes may not exist
			tear(t, rdb.Set(t.Context(), tag+torn, "torn", 0).Err())
			before := contents(t, rdb)
			for op, run := range ops {
				if err := run(t.Context()); err == nil {
					t.Errorf("%s torn: %s did not fail", torn, op)
				}
				if after := contents(t, rdb); !maps.Equal(after, before) {
					t.Errorf("%s torn: %s left %v; want %v", torn, op, after, before)
					before = after
				}
			}
			tear(t, rdb.Del(t.Context(), tag+torn).Err())
			if moved {
				tear(t, rdb.Rename(t.Context(), away, tag+torn).Err())
			}
		}
	})
}

// contents are the gate's keys and what is in each, whatever its type.
func contents(t *testing.T, rdb *redis.Client) map[string]string {
	t.Helper()
	keys, err := rdb.Keys(t.Context(), tag+"*").Result()
	tear(t, err)
	all := make(map[string]string, len(keys))
	for _, key := range keys {
		kind, err := rdb.Type(t.Context(), key).Result()
		tear(t, err)
		var value any
		switch kind {
		case "string":
			value, err = rdb.Get(t.Context(), key).Result()
		case "hash":
			value, err = rdb.HGetAll(t.Context(), key).Result()
		case "stream":
			value, err = rdb.XRange(t.Context(), key, "-", "+").Result()
		}
		tear(t, err)
		all[key] = fmt.Sprint(value)
	}
	return all
}

// A rebuild heals what it replaces anyway.
func TestGate_RebuildReplacesKeysOfAnotherType(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		open(t, rdb, 5)
		for _, torn := range []string{"receipts", "index"} {
			tear(t, rdb.Set(t.Context(), tag+torn, "torn", 0).Err())
		}
		g := gate.New(rdb, "toy", 1)
		build(t, g, gate.Contents{Epoch: 2, Total: 5, Live: []gate.Live{live("r7", "a7", "t7")}})
		if h := reserve(t, g, request(1)); h.Left != 3 {
			t.Errorf("hold %+v; want 3 left", h)
		}
	})
}

func TestGate_KeepsAllItsKeysUntil(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		h := reserve(t, g, request(1))
		tear(t, g.Tell(t.Context(), gate.Note{Reservation: h.Reservation, Status: gate.Held, Version: 1, Qty: 1}))
		until := time.Now().Add(time.Hour).Truncate(time.Second)
		tear(t, g.Keep(t.Context(), until))
		tear(t, g.Keep(t.Context(), time.Now().Add(-time.Hour))) // an instant that is past
		keys, err := rdb.Keys(t.Context(), tag+"*").Result()
		if err != nil || len(keys) != 5 {
			t.Fatalf("keys %v, %v; want five", keys, err)
		}
		for _, key := range keys {
			if left, err := rdb.PTTL(t.Context(), key).Result(); err != nil || left < 59*time.Minute || left > time.Hour {
				t.Errorf("%s lives for %v, %v; want an hour", key, left, err)
			}
		}
	})
}
