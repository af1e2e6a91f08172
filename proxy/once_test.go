package proxy_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

// everyBuckets runs a test on a real Redis with one bucket and with ten.
func everyBuckets(t *testing.T, test func(t *testing.T, p plot)) {
	t.Helper()
	for _, n := range []int{1, 10} {
		t.Run(fmt.Sprint(n, " buckets"), func(t *testing.T) {
			t.Parallel()
			test(t, plot{redis: testserver.Redis(t), stock: 20, sale: fmt.Sprintf("per_account: 3\nbuckets: %d", n)})
		})
	}
}

// TestSameKeySameAnswer: the same key and body get the same answer, byte for byte,
// at whichever edge, whether they come one after the other or all at once.
func TestSameKeySameAnswer(t *testing.T) {
	t.Parallel()
	everyBuckets(t, func(t *testing.T, p plot) {
		a := play(t, p)
		edges := []*stage{a, a.beside(p)}
		b := a.browser().admitted()
		told := newAnswers()
		var copies sync.WaitGroup
		for i := range 20 {
			at := b.at(edges[i%2])
			copies.Go(func() { told.add(at.buy("qty=2", "Idempotency-Key", "k1")) })
		}
		copies.Wait()
		for _, s := range edges {
			told.add(b.at(s).buy("qty=2", "Idempotency-Key", "k1"))
		}
		if len(told.n) != 1 || a.left() != 18 {
			t.Errorf("answers %v and %d left, want one answer 22 times and 18", told.n, a.left())
		}
	})
}

// answers counts different ones.
type answers struct {
	mu sync.Mutex
	n  map[string]int
}

func newAnswers() *answers { return &answers{n: map[string]int{}} }

func (a *answers) add(r reply) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n[fmt.Sprint(r.StatusCode, " ", r.body)]++
}

// TestSameKeyOtherBody: copies with two bodies under one key, all on their way at
// once. One body wins, and each of its copies; the other is 422, each time, and
// nothing is sold for it. Somebody else's key of the same name is another.
func TestSameKeyOtherBody(t *testing.T) {
	t.Parallel()
	everyBuckets(t, func(t *testing.T, p plot) {
		a := play(t, p)
		b := a.browser().admitted()
		told := map[string]*answers{"qty=1": newAnswers(), "qty=2": newAnswers()}
		var copies sync.WaitGroup
		for range 20 {
			for body, answers := range told {
				copies.Go(func() { answers.add(b.buy(body, "Idempotency-Key", "k1")) })
			}
		}
		copies.Wait()
		took := 20 - a.left()
		if took != 1 && took != 2 {
			t.Fatalf("%d units are gone, want those of one body", took)
		}
		won, lost := fmt.Sprint("qty=", took), fmt.Sprint("qty=", 3-took)
		refused := "422 {\"status\":\"key_reused\"}\n"
		if len(told[won].n) != 1 || told[won].n[refused] != 0 || told[lost].n[refused] != 20 {
			t.Errorf("told the one that won %v, and the other %v; want one yes 20 times, and 20 times %q", told[won].n, told[lost].n, refused)
		}
		a.browser().admitted().buy("qty=3", "Idempotency-Key", "k1").want(t, "somebody else", http.StatusCreated, "reserved")
	})
}

// TestPassingFailureIsNotRemembered: a key that met a closed gate, a Redis that is
// away, or a sale that was sold out, is as good as new afterwards.
func TestPassingFailureIsNotRemembered(t *testing.T) {
	t.Parallel()
	server := testserver.StartRedis(t, "--appendonly", "yes", "--appendfsync", "always")
	s := play(t, plot{redis: server.URL, stock: 1})
	one, other := s.browser().admitted(), s.browser().admitted()
	buy := func(b *browser) reply { return b.buy("qty=1", "Idempotency-Key", "k1") }

	server.Kill()
	buy(one).want(t, "Redis is away", http.StatusServiceUnavailable, "paused")
	server.Start()
	s.state("open")
	report(t, s.gate.Close(context.Background(), "test"))
	buy(one).want(t, "the gate is closed", http.StatusServiceUnavailable, "paused")
	s.stock(1, 2)
	s.state("open")
	taken := buy(other).want(t, "somebody else", http.StatusCreated, "reserved")
	buy(one).want(t, "nothing is left", http.StatusConflict, "sold_out")
	s.state("all_held")
	account := other.device()
	if ok, err := s.gate.Release(context.Background(), account, taken.field("reservation")); err != nil || !ok {
		t.Fatalf("release: %t, %v", ok, err)
	}
	s.state("open")
	buy(one).want(t, "one came back", http.StatusCreated, "reserved")
}

// TestRetriesOnATrain: the connection breaks right after the request was sent,
// three times. The fourth try hears of the one unit that was taken.
func TestRetriesOnATrain(t *testing.T) {
	t.Parallel()
	everyBuckets(t, func(t *testing.T, p plot) {
		s := play(t, p)
		b := s.browser().called()
		for range 3 {
			conn := s.rawConn()
			_, err := fmt.Fprintf(conn, "POST /toys/golden/buy HTTP/1.1\r\nHost: %s\r\nCookie: %s=%s\r\nIdempotency-Key: k1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 5\r\n\r\nqty=1",
				host, ticketCookie, b.cookie(ticketCookie))
			report(t, err)
			report(t, conn.Close())
		}
		first := b.buy("qty=1", "Idempotency-Key", "k1").want(t, "heard at last", http.StatusCreated, "reserved")
		again := b.buy("qty=1", "Idempotency-Key", "k1").want(t, "and again", http.StatusCreated, "reserved")
		if first.field("reservation") != again.field("reservation") || s.left() != 19 {
			t.Errorf("told %s and %s, %d left; want one reservation and 19", first.body, again.body, s.left())
		}
	})
}

// TestCopiedPass: a pass that was copied to other browsers, of people who are
// signed in as others, buys once, all at once and at two edges.
func TestCopiedPass(t *testing.T) {
	t.Parallel()
	everyBuckets(t, func(t *testing.T, p plot) {
		p.config = "identity: {cookie: session}"
		a := play(t, p)
		edges := []*stage{a, a.beside(p)}
		own := a.browser().admitted()
		pass := own.cookie(passCookie)
		var mu sync.Mutex
		told := map[string]int{}
		var copies sync.WaitGroup
		for i := range 12 {
			thief := edges[i%2].browser()
			thief.plant("session", fmt.Sprint("account ", i%6))
			thief.plant(passCookie, pass)
			copies.Go(func() {
				r := thief.buy("qty=1")
				mu.Lock()
				defer mu.Unlock()
				told[fmt.Sprint(r.StatusCode)]++
			})
		}
		copies.Wait()
		if a.left() != 19 || told["201"] == 0 {
			t.Errorf("%d units left, answers %v; want 19, and one account told yes", a.left(), told)
		}
	})
}

// device is the name that ticket or pass give a browser's shopper, as the gate
// knows it.
func (b *browser) device() string {
	b.s.t.Helper()
	holders, _, err := b.s.gate.Holders(context.Background(), 100)
	if err != nil || len(holders) != 1 {
		b.s.t.Fatalf("holders %v, %v; want one", holders, err)
	}
	return holders[0].Account
}

// TestRedisFull: buyers are told to come back, nothing happens half-way, and what
// gives units back still works.
func TestRedisFull(t *testing.T) {
	t.Parallel()
	server := testserver.StartRedis(t)
	s := play(t, plot{redis: server.URL})
	holder, late := s.browser().admitted(), s.browser().admitted()
	yes := holder.buy("").want(t, "before", http.StatusCreated, "reserved")
	account := holder.device()

	server.Fill()
	r := late.buy("", "Idempotency-Key", "k1").want(t, "while it is full", http.StatusServiceUnavailable, "paused")
	if r.Header.Get("Retry-After") == "" {
		t.Error("while it is full: no Retry-After")
	}
	if ok, err := s.gate.Release(context.Background(), account, yes.field("reservation")); err != nil || !ok {
		t.Errorf("release while it is full: %t, %v; want true", ok, err)
	}
	server.Drain()
	s.state("open")
	if s.left() != 10 {
		t.Errorf("%d units are left, want all 10", s.left())
	}
	s.until("a buy once there is memory", func() bool {
		return late.buy("", "Idempotency-Key", "k1").StatusCode == http.StatusCreated
	})
	if s.left() != 9 {
		t.Errorf("%d units are left, want 9", s.left())
	}
}

// TestRedisBecameAReplica, behind a plain name: while the connections lead to a
// server that takes no writes any more, nobody is told yes; soon after the name
// leads to the new primary all is as before, without a restart.
func TestRedisBecameAReplica(t *testing.T) {
	t.Parallel()
	old := testserver.StartRedis(t)
	host, port := splitAddr(old.Addr)
	next := testserver.StartRedis(t, "--replicaof", host+" "+port, "--repl-diskless-sync-delay", "0")
	name := newName(t, old.Addr)
	s := play(t, plot{redis: "redis://" + name.addr + "/0"})
	one, late := s.browser().admitted(), s.browser().admitted()
	one.buy("").want(t, "before", http.StatusCreated, "reserved")
	eventually(t, "the replica has it all", func() bool {
		got, err := next.Do("HLEN", "wr:{gate:golden-toy/0}:receipts")
		return err == nil && got == int64(1)
	})

	do := func(s *testserver.RedisServer, args ...any) {
		_, err := s.Do(args...)
		report(t, err)
	}
	do(next, "REPLICAOF", "NO", "ONE")
	host, port = splitAddr(next.Addr)
	do(old, "REPLICAOF", host, port)
	late.buy("").want(t, "while the name leads to a replica", http.StatusServiceUnavailable, "paused")
	name.lead(next.Addr)
	begun := time.Now()
	s.until("a buy after the switch", func() bool { return late.buy("").StatusCode == http.StatusCreated })
	if took := time.Since(begun); took > 15*time.Second {
		t.Errorf("it took %v until a buy went through, want 15 s at most", took)
	}
	got, err := next.Do("HLEN", "wr:{gate:golden-toy/0}:receipts")
	if err != nil || got != int64(2) {
		t.Errorf("receipts %v, %v; want 2", got, err)
	}
}

// TestNothingIsKeptOfAShopper: a shopper leaves no key of their own in Redis, so
// none can be left over when an edge dies while it counts; what a line counts
// ends by itself.
func TestNothingIsKeptOfAShopper(t *testing.T) {
	t.Parallel()
	s := play(t, plot{redis: testserver.Redis(t), stock: 30, config: "limits: {device: {buy: 1000/s}, account: {buy: 1000/s}}"})
	var before []string
	for i := range 20 {
		b := s.browser().admitted()
		b.buy("", "Idempotency-Key", "k").want(t, "buy", http.StatusCreated, "reserved")
		keys, err := s.rdb.Keys(context.Background(), "*").Result()
		if err != nil {
			t.Fatal(err)
		}
		if before != nil && len(keys) != len(before) {
			t.Errorf("shopper %d: keys %v, want as many as with one shopper: %v", i, keys, before)
		}
		before = keys
	}
	for _, key := range before {
		if !strings.HasPrefix(key, "wr:{line:") {
			continue // the gate's end with the sale, see gate.Keep
		}
		if left, err := s.rdb.PTTL(context.Background(), key).Result(); err != nil || left <= 0 {
			t.Errorf("%s lives for %v, %v; want an end", key, left, err)
		}
	}
}
