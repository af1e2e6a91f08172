package queueing_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/queueing"
)

func accountSale(now time.Time) *configs.Sale {
	sale := saleAt(now, time.Hour, 100, 10)
	sale.OneTicketPerAccount = true
	return sale
}

// enterAs is entering with an account, in the draw.
func enterAs(t *testing.T, l *queueing.Line, account string) (uint64, error) {
	n, err := l.Enter(t.Context(), queueing.Entry{Account: account})
	return n.Value, err
}

// enterAll lets all enter at once, over all edges, and gives the numbers in
// their order.
func enterAll(t *testing.T, edges []*queueing.Line, accounts []string) []uint64 {
	t.Helper()
	numbers := make([]uint64, len(accounts))
	var wg sync.WaitGroup
	for i, account := range accounts {
		wg.Go(func() {
			var err error
			if numbers[i], err = enterAs(t, edges[i%len(edges)], account); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	return numbers
}

func TestAccountHasOneNumber(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := accountSale(s.now())
		edges := []*queueing.Line{queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)}
		enter(t, edges[0], 7)
		numbers := enterAll(t, edges, slices.Repeat([]string{"anna@example.com"}, 100))
		if slices.Min(numbers) != 7 || slices.Max(numbers) != 7 {
			t.Errorf("one account has the numbers %v, want 7", numbers)
		}
		if snap := tick(t, edges[0]); snap.Entered != 8 {
			t.Errorf("entered %d, want 8", snap.Entered)
		}
		// One that differs in a letter is another account, and so is each sale's own.
		if n, err := enterAs(t, edges[1], "Anna@example.com"); err != nil || n != 8 {
			t.Errorf("another account: number %d, %v; want 8", n, err)
		}
	})
}

// Entries of accounts and of nobody go in the same calls, each is given its own,
// and no number is given to two or left out.
func TestEntriesWithAndWithoutAccountsGoTogether(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := accountSale(s.now())
		calls := &scripts{}
		s.rdb.AddHook(calls)
		edges := []*queueing.Line{queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)}
		const people = 700
		accounts := make([]string, 4*people) // each account twice, and as many without
		for i := range accounts {
			if i%4 < 2 {
				accounts[i] = fmt.Sprint("account ", i/4)
			}
		}
		start := time.Now()
		numbers := enterAll(t, edges, accounts)
		if most := 2*len(edges) + int(time.Since(start)/(5*time.Millisecond))*len(edges); calls.n() > most {
			t.Errorf("%d calls for %d entries in %v", calls.n(), len(accounts), time.Since(start))
		}
		holders := map[uint64]string{}
		for i, n := range numbers {
			who := accounts[i]
			if who == "" {
				who = fmt.Sprint("nobody ", i)
			}
			if other, taken := holders[n]; taken && other != who {
				t.Fatalf("number %d is that of %q and of %q", n, other, who)
			}
			holders[n] = who
		}
		if len(holders) != 3*people || slices.Max(slices.Collect(maps.Keys(holders))) != 3*people-1 {
			t.Errorf("%d numbers given, want 0 to %d", len(holders), 3*people-1)
		}
		if again := enterAll(t, edges, accounts[:2]); again[0] != numbers[0] || again[1] != numbers[1] {
			t.Errorf("later the account has %v, want %d", again, numbers[0])
		}
	})
}

// Redis is told no account, holds one small record for each, and forgets them
// with the line. Who enters without an account leaves none.
func TestAccountRecords(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		l := queueing.NewLine(s.rdb, accountSale(s.now()))
		enter(t, l, 50)
		records := func() []string {
			keys, err := s.rdb.Keys(t.Context(), "wr:{line:golden-toy}:account:*").Result()
			if err != nil {
				t.Fatal(err)
			}
			return keys
		}
		if keys := records(); len(keys) > 0 {
			t.Errorf("entries without an account left %v", keys)
		}
		const account = "anna@example.com"
		for range 2 {
			if _, err := enterAs(t, l, account); err != nil {
				t.Fatal(err)
			}
		}
		keys := records()
		if len(keys) != 1 {
			t.Fatalf("records %v, want one", keys)
		}
		fields, err := s.rdb.HGetAll(t.Context(), keys[0]).Result()
		if err != nil {
			t.Fatal(err)
		}
		delete(fields, "born")
		for field, number := range fields {
			if len(field) < 12 || strings.Contains(field, account) || number != "50" {
				t.Errorf("record %x: %q", field, number)
			}
		}
		if len(fields) != 1 {
			t.Errorf("%d fields, want 1", len(fields))
		}
		if life := s.rdb.PTTL(t.Context(), keys[0]).Val(); life < 24*time.Hour {
			t.Errorf("the record lives %v, want as long as the line", life)
		}
	})
}

// Accounts that share a hash cost its expiry once, and one who comes again a look.
func TestAccountsShareAHash(t *testing.T) {
	t.Parallel()
	rdb := client(t, testserver.Redis(t))
	l := queueing.NewLine(rdb, accountSale(time.Now()))
	for i, account := range []string{"0", neighbour("0"), "0"} {
		if n, err := enterAs(t, l, account); err != nil || n != uint64(i%2) {
			t.Errorf("account %q: number %d, %v; want %d", account, n, err, i%2)
		}
	}
	keys, err := rdb.Keys(t.Context(), "wr:{line:golden-toy}:account:*").Result()
	if err != nil || len(keys) != 1 || rdb.HLen(t.Context(), keys[0]).Val() != 3 {
		t.Fatalf("hashes %v, %v; want one with two accounts", keys, err)
	}
	stats := rdb.Info(t.Context(), "commandstats").Val()
	if !strings.Contains(stats, "cmdstat_pexpireat:calls=1,") {
		t.Errorf("want one expiry, have\n%s", stats)
	}
}

// neighbour is another account whose record is in the same hash.
func neighbour(account string) string {
	hash := func(a string) [2]byte {
		sum := sha256.Sum256([]byte("golden-toy\x00" + a))
		return [2]byte(sum[:2])
	}
	for i := 1; ; i++ {
		if other := fmt.Sprint(i); hash(other) == hash(account) {
			return other
		}
	}
}

// The records of a line that is forgotten itself lead to numbers that are given
// anew: they are worth nothing.
func TestRecordsOfAForgottenLineAreWorthNothing(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := accountSale(s.now())
		l := queueing.NewLine(s.rdb, sale)
		enter(t, l, 5)
		if n, err := enterAs(t, l, "anna"); err != nil || n != 5 {
			t.Fatalf("number %d, %v", n, err)
		}
		s.wait(time.Millisecond)
		if err := s.rdb.Del(t.Context(), "wr:{line:golden-toy}").Err(); err != nil {
			t.Fatal(err)
		}
		fresh := queueing.NewLine(s.rdb, sale) // no edge remembers
		enter(t, fresh, 2)
		for range 2 {
			if n, err := enterAs(t, fresh, "anna"); err != nil || n != 2 {
				t.Errorf("number %d, %v; want 2", n, err)
			}
		}
	})
}

// scripts counts the scripts that were called.
type scripts struct{ called atomic.Int64 }

func (s *scripts) n() int { return int(s.called.Load()) }

func (*scripts) DialHook(next redis.DialHook) redis.DialHook { return next }
func (*scripts) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (s *scripts) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if strings.HasPrefix(cmd.Name(), "eval") {
			s.called.Add(1)
		}
		return next(ctx, cmd)
	}
}
