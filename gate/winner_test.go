package gate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/gate"
)

const winnersKey = "wr:{gate:toy/0}:winners"

// read calls Read until it gives winners; the first calls may have to make the
// group.
func read(t *testing.T, r *gate.Reader, most int) []gate.Winner {
	t.Helper()
	for range 3 {
		ws, err := r.Read(t.Context(), most, 10*time.Millisecond)
		if err == nil {
			return ws
		}
		if !strings.Contains(err.Error(), "NOGROUP") {
			t.Fatal(err)
		}
	}
	t.Fatal("the group was not made")
	return nil
}

func TestReader_DeliversUntilDone(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		h := reserve(t, g, request(1))
		for range 2 { // a reader of the same name, after a crash, gets it again
			ws := read(t, g.Winners("w1")[0], 10)
			if len(ws) != 1 || ws[0].Reservation != h.Reservation || ws[0].Qty != 1 ||
				ws[0].Hold != 10*time.Minute || ws[0].Fault != nil {
				t.Fatalf("Read = %+v; want %s", ws, h.Reservation)
			}
		}
		r := g.Winners("w1")[0]
		ws := read(t, r, 10)
		if err := r.Done(t.Context(), ws[0].Entry); err != nil {
			t.Fatal(err)
		}
		if ws := read(t, g.Winners("w1")[0], 10); len(ws) != 0 {
			t.Errorf("after Done: %+v; want none", ws)
		}
		if s := look(t, g); s.Backlog != 0 {
			t.Errorf("backlog %d; want 0", s.Backlog)
		}
	})
}

func TestReader_ReadsALostAnswerAgain(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		r := g.Winners("w1")[0]
		if ws := read(t, r, 10); len(ws) != 0 {
			t.Fatalf("Read = %+v; want none yet", ws)
		}
		h := reserve(t, g, request(1))
		// Redis gives the winner to this consumer, whose call fails.
		err := rdb.XReadGroup(t.Context(), &redis.XReadGroupArgs{
			Group: "ledger", Consumer: "w1", Streams: []string{winnersKey, ">"},
		}).Err()
		if err != nil {
			t.Fatal(err)
		}
		broken, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.Read(broken, 10, 10*time.Millisecond); err == nil {
			t.Fatal("a call that fails: no error")
		}
		if ws := read(t, r, 10); len(ws) != 1 || ws[0].Reservation != h.Reservation {
			t.Errorf("Read = %+v; want %s", ws, h.Reservation)
		}
	})
}

func TestReader_MakesALostGroupAgain(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		r := g.Winners("w1")[0]
		read(t, r, 10)
		if err := rdb.Del(t.Context(), winnersKey).Err(); err != nil {
			t.Fatal(err)
		}
		h := reserve(t, g, request(1))
		if ws := read(t, r, 10); len(ws) != 1 || ws[0].Reservation != h.Reservation {
			t.Errorf("Read = %+v; want %s", ws, h.Reservation)
		}
	})
}

func TestReader_GhostLeavesThePendingList(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		for n := range 3 {
			reserve(t, g, request(n))
		}
		ws := read(t, g.Winners("w1")[0], 10)
		if len(ws) != 3 {
			t.Fatalf("read %d; want 3", len(ws))
		}
		if err := rdb.XDel(t.Context(), winnersKey, ws[1].Entry).Err(); err != nil {
			t.Fatal(err)
		}
		if left := read(t, g.Winners("w1")[0], 10); len(left) != 2 {
			t.Errorf("read %d; want the two that are there", len(left))
		}
		p, err := rdb.XPending(t.Context(), winnersKey, "ledger").Result()
		if err != nil || p.Count != 2 {
			t.Errorf("pending %+v, %v; want 2", p, err)
		}
	})
}

func TestReader_UnreadableEntryIsAFaultNotAnEnd(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		for _, values := range [][]string{
			{"reservation", "r", "account", "a", "ticket", "t", "qty", "one", "reserved", "1", "hold", "1"},
			{"reservation", "r", "account", "a", "ticket", "t", "qty", "-1", "reserved", "1", "hold", "1"},
			{"account", "a"},
		} {
			if err := rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: winnersKey, Values: values}).Err(); err != nil {
				t.Fatal(err)
			}
		}
		reserve(t, g, request(1))
		var faults []bool
		for _, w := range read(t, g.Winners("w1")[0], 10) {
			faults = append(faults, w.Fault != nil)
		}
		if got, want := fmt.Sprint(faults), "[true true true false]"; got != want {
			t.Errorf("faults %s; want %s", got, want)
		}
	})
}
