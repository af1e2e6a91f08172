package proxy_test

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
)

const matched = "match_stock: true\nper_account: 1"

// TestMatchStockLetsInWhomAUnitWaitsFor: over two edges, whoever has a pass gets a
// unit, and as soon as units come back others are let in.
func TestMatchStockLetsInWhomAUnitWaitsFor(t *testing.T) {
	t.Parallel()
	p := plot{redis: testserver.Redis(t), sale: matched, stock: 3}
	one := play(t, p)
	two := one.beside(p)

	var all sync.WaitGroup
	var mu sync.Mutex
	var in, out []*browser
	for i := range 12 {
		b := []*stage{one, two}[i%2].browser()
		all.Go(func() {
			b.join()
			got := false
			for range 40 {
				if got = b.own(http.MethodPost, "pass").StatusCode == http.StatusOK; got {
					break
				}
				time.Sleep(50 * time.Millisecond)
			}
			mu.Lock()
			defer mu.Unlock()
			if got {
				in = append(in, b)
			} else {
				out = append(out, b)
			}
		})
	}
	all.Wait()
	if len(in) != 3 {
		t.Fatalf("%d were let in for three units", len(in))
	}
	first := in[0].buy("").want(t, "who was let in", http.StatusCreated, "reserved")
	in[1].buy("").want(t, "who was let in", http.StatusCreated, "reserved")
	for _, s := range []*stage{one, two} {
		b := s.browser()
		s.until("no time is told", func() bool { return b.own(http.MethodGet, "status").field("eta_ahead") == "0" })
	}
	for _, b := range out {
		if r := b.own(http.MethodPost, "pass"); r.StatusCode != http.StatusTooManyRequests {
			t.Errorf("a fourth is answered %d %s, want to wait", r.StatusCode, r.body)
		}
	}
	in[2].buy("").want(t, "the last", http.StatusCreated, "reserved")

	if ok, err := one.gate.Release(context.Background(), "", first.field("reservation")); err != nil || !ok {
		t.Fatalf("give a unit back: %v, %v", ok, err)
	}
	got := make(chan *browser, len(out))
	for _, b := range out {
		all.Go(func() {
			for range 40 {
				if b.own(http.MethodPost, "pass").StatusCode == http.StatusOK {
					got <- b
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
	all.Wait()
	close(got)
	if len(got) != 1 {
		t.Fatalf("%d were let in for the unit that came back, want one", len(got))
	}
	(<-got).buy("").want(t, "who was let in", http.StatusCreated, "reserved")
	if one.left() != 0 {
		t.Errorf("%d are left", one.left())
	}
}

// TestMatchStockClaimsAnew: the pass of a hold that has lapsed is used, so to buy once
// more is to claim another one, which takes its place among the others; while the hold
// lasts, to press again is to be told of it.
func TestMatchStockClaimsAnew(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: matched, stock: 2})
	b := s.browser().called()
	first := b.buy("").want(t, "first", http.StatusCreated, "reserved")
	if again := b.buy("").want(t, "again", http.StatusCreated, "reserved"); again.field("reservation") != first.field("reservation") {
		t.Errorf("pressed again: %s, want %s", again.body, first.field("reservation"))
	}
	spent := func() string { return s.rdb.HGet(context.Background(), "wr:{line:golden-toy}", "spent").Val() }
	s.until("the pass is spent", func() bool { return spent() == "1" })

	if ok, err := s.gate.Release(context.Background(), "", first.field("reservation")); err != nil || !ok {
		t.Fatalf("give the unit back: %v, %v", ok, err)
	}
	lapsed := gate.Note{Reservation: first.field("reservation"), Status: gate.Expired, Version: 2, Qty: 1}
	if err := s.gate.Tell(context.Background(), lapsed); err != nil {
		t.Fatal(err)
	}
	if r := b.own(http.MethodGet, "me"); r.field("state") != "called" {
		t.Errorf("after the hold: %s, want called", r.body)
	}
	second := reply{}
	s.until("another unit", func() bool { second = b.buy(""); return second.StatusCode == http.StatusCreated })
	if second.field("reservation") == first.field("reservation") {
		t.Errorf("got %s once more", second.body)
	}
	s.until("that one is spent, too", func() bool { return spent() == "2" })
	if n := s.rdb.ZCount(context.Background(), "wr:{line:golden-toy}:passes", "("+s.redisTime(-5*time.Second), "+inf").Val(); n != 0 {
		t.Errorf("%d passes are unused, want none", n)
	}
}

// redisTime is Redis's own, some time from now, in microseconds.
func (s *stage) redisTime(after time.Duration) string {
	s.t.Helper()
	now, err := s.rdb.Time(context.Background()).Result()
	if err != nil {
		s.t.Fatal(err)
	}
	return strconv.FormatInt(now.Add(after).UnixMicro(), 10)
}
