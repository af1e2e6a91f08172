package gate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
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
		m, err := g.Mend(t.Context(), []gate.Live{live(h.Reservation, "a1", "t1")}, nil)
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
			if m, err := g.Mend(t.Context(), nil, nil); err != nil || m != want {
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

// Redis undoes nothing: a key of another type, or a field that is no number, must be
// met before the first write. Whoever meets it closes the gate, and the next rebuild
// is of the ledger.
func TestGate_WhatIsDamagedCloses(t *testing.T) {
	t.Parallel()
	damages := make(map[string]func(context.Context, *redis.Client) error)
	for _, key := range []string{"state", "receipts", "index", "winners", "notes"} {
		damages["a torn key: "+key] = func(ctx context.Context, rdb *redis.Client) error {
			return errors.Join(rdb.Del(ctx, tag+key).Err(), rdb.Set(ctx, tag+key, "torn", 0).Err())
		}
	}
	for _, field := range [][2]string{
		{"stock", "abc"}, {"stock", ""}, {"stock", "1e309"}, {"stock", "nan"}, {"stock", "2.5"}, {"stock", "99999999999999999999"},
		{"total", "x"}, {"paid", "0x1"}, {"moves", "-1"}, {"epoch", "1e9"}, {"buckets", "many"}, {"sale", " 5"}, {"rises", "?"},
		{"stamp", "?"}, {"floor", "?"}, {"gave:0", "1"}, {"took:0", "99999999999999999999 1"},
	} {
		damages[fmt.Sprintf("%s = %q", field[0], field[1])] = func(ctx context.Context, rdb *redis.Client) error {
			return rdb.HSet(ctx, tag+"state", field[0], field[1]).Err()
		}
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both(t, func(t *testing.T, rdb *redis.Client) {
				for op, run := range map[string]func(context.Context, *gate.Gate) error{
					"look":    func(ctx context.Context, g *gate.Gate) error { _, err := g.Look(ctx); return err },
					"reserve": func(ctx context.Context, g *gate.Gate) error { _, err := g.Reserve(ctx, request(2)); return err },
					"release": func(ctx context.Context, g *gate.Gate) error { _, err := g.Release(ctx, "a1", "r1"); return err },
					"mend": func(ctx context.Context, g *gate.Gate) error {
						_, err := g.Mend(ctx, []gate.Live{live("r7", "a7", "t7")}, nil)
						return err
					},
					"tell": func(ctx context.Context, g *gate.Gate) error {
						return g.Tell(ctx, gate.Note{Reservation: "r1", Status: gate.Paid, Version: 2, Qty: 1})
					},
				} {
					if strings.Contains(name, ":0") && op != "look" {
						continue // no other looks at transfers in one bucket
					}
					g := gate.New(rdb, "toy", 1)
					tear(t, rdb.FlushAll(t.Context()).Err())
					build(t, g, gate.Contents{Epoch: 1, Total: 5, Live: []gate.Live{live("r1", "a1", "t1")}})
					tear(t, damage(t.Context(), rdb))
					if err := run(t.Context(), g); err != nil && !errors.Is(err, gate.ErrClosed) {
						t.Errorf("%s: %v", op, err)
					}
					if s := look(t, gate.New(rdb, "toy", 1)); s.Open() || s.Closed == "" || s.Backlog != 0 {
						t.Errorf("after %s: %+v; want a closed gate that has sold nothing", op, s)
					}
					build(t, g, gate.Contents{Epoch: 2, Total: 5, Live: []gate.Live{live("r1", "a1", "t1")}})
					if h := reserve(t, g, request(3)); h.Left != 3 {
						t.Errorf("rebuilt after %s: %+v; want 3 left", op, h)
					}
				}
			})
		})
	}
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

// TestGate_FullRedis: each script happens whole or not at all, and what gives back
// and acknowledges still works.
func TestGate_FullRedis(t *testing.T) {
	t.Parallel()
	s := testserver.StartRedis(t)
	rdb := client(t, s.URL)
	g := open(t, rdb, 5)
	h := reserve(t, g, request(1))
	reader := g.Winners("w")[0]
	ws, err := reader.Read(t.Context(), 10, -1)
	if err != nil || len(ws) != 1 {
		t.Fatalf("winners %v, %v; want one", ws, err)
	}
	before := contents(t, rdb)
	s.Fill()
	if _, err := g.Reserve(t.Context(), request(2)); err == nil || !strings.Contains(err.Error(), "OOM") {
		t.Errorf("Reserve = %v; want that memory is full", err)
	}
	for key, now := range contents(t, rdb) {
		if before[key] != now {
			t.Errorf("%s is %s, want %s as before", key, now, before[key])
		}
	}
	if err := reader.Done(t.Context(), ws[0].Entry); err != nil {
		t.Errorf("Done = %v; want nil", err)
	}
	for _, want := range []bool{true, false} {
		if ok, err := g.Release(t.Context(), "a1", h.Reservation); err != nil || ok != want {
			t.Errorf("Release = %v, %v; want %v", ok, err, want)
		}
	}
	s.Drain()
	if now := look(t, g); now.Left != 5 || now.Backlog != 0 {
		t.Errorf("look %+v, want all 5 left and no winners", now)
	}
	reserve(t, g, request(2))
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
