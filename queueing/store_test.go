package queueing_test

import (
	"encoding/binary"
	"os"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/queueing"
)

// store is a Redis and its clock. The clock of a real one moves by itself.
type store struct {
	rdb  redis.UniversalClient
	now  func() time.Time
	wait func(time.Duration)
}

// eachStore runs a test of the contract on a real Redis and on the embedded
// one.
func eachStore(t *testing.T, test func(t *testing.T, s store)) {
	t.Helper()
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		s := store{rdb: client(t, testserver.Redis(t)), now: time.Now, wait: time.Sleep}
		test(t, s)
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		m := newVirtual(t)
		test(t, store{rdb: m.rdb, now: func() time.Time { return m.now }, wait: m.advance})
	})
}

func client(t testing.TB, url string) redis.UniversalClient {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	options.MaxRetries = -1
	options.ContextTimeoutEnabled = true
	rdb := redis.NewClient(options)
	t.Cleanup(func() { rdb.Close() })
	return rdb
}

// virtual is an embedded Redis whose clock the test moves.
type virtual struct {
	rdb   redis.UniversalClient
	redis *miniredis.Miniredis
	now   time.Time
}

func newVirtual(t testing.TB) *virtual {
	t.Helper()
	m := testserver.Mini(t)
	v := &virtual{rdb: client(t, testserver.MiniURL(m)), redis: m}
	v.at(time.Date(2026, 11, 27, 9, 0, 0, 123_456_000, time.UTC))
	return v
}

func (v *virtual) at(t time.Time) {
	v.now = t
	v.redis.SetTime(t)
}

func (v *virtual) advance(d time.Duration) { v.at(v.now.Add(d)) }

// saleAt is a sale whose doors open at once, with the draw after the given
// time.
func saleAt(now time.Time, untilOpen time.Duration, perSecond, burst int) *configs.Sale {
	return &configs.Sale{
		ID: "golden-toy", Key: "golden-toy",
		Doors: now.Add(-time.Second), Opens: now.Add(untilOpen), Closes: now.Add(2 * time.Hour),
		Admit: configs.Rate{Count: perSecond, Per: time.Second}, Burst: burst,
	}
}

func enter(t testing.TB, l *queueing.Line, n int) (numbers []uint64) {
	t.Helper()
	for range n {
		number, err := l.Enter(t.Context(), queueing.Entry{})
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, number.Value)
	}
	return numbers
}

func tick(t testing.TB, l *queueing.Line) *queueing.Snapshot {
	t.Helper()
	s, err := l.Tick(t.Context(), true, queueing.Stock{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// whole is set for `make soak`: it follows crowds for longer, and more of them.
var whole = os.Getenv("WAITROOM_PACE") == "all"

// spell is for how long a crowd is followed. Under the race detector a call costs a
// millisecond or two.
func spell(most, least time.Duration) time.Duration {
	if whole {
		return most
	}
	return least
}

// pause is for how long no numbers are given after a loss.
const pause = 310 * time.Millisecond

// numbered is a number of those in the draw, or after it.
func numbered(value uint64) queueing.Number { return queueing.Number{Value: value} }

// at is the turn of a place.
func at(place uint64) queueing.Turn { return queueing.Turn{Place: place} }

// invited is the turn of an invitation.
func invited(number uint64) queueing.Turn { return queueing.Turn{Place: number, Invited: true} }

func idOf(n uint64) (id [8]byte) {
	binary.BigEndian.PutUint64(id[:], n)
	return id
}
