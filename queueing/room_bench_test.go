package queueing_test

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/queueing"
)

// What one Redis carries of arrivals that are admitted, and of ticks that tell
// of 1,000 renewals each, in a room that keeps seats.
func BenchmarkRoom(b *testing.B) {
	rdb := client(b, testserver.Redis(b))
	room := roomOf(100_000, 10_000_000, 100_000_000)
	r := queueing.NewRoom(rdb, room)
	tickRoom(b, r)
	if err := rdb.HSet(b.Context(), "wr:{line:"+room.Key+"}", "tokens", 10_000_000).Err(); err != nil {
		b.Fatal(err)
	}
	b.Run("arrive", func(b *testing.B) {
		b.SetParallelism(1000)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				arrive(b, r)
			}
		})
	})
	snap := tickRoom(b, r)
	if bytes, err := rdb.MemoryUsage(b.Context(), "wr:{line:"+room.Key+"}:seats", 0).Result(); err == nil {
		b.Logf("%d seats, %.0f bytes each", snap.Active, float64(bytes)/float64(snap.Active))
	}
	last := arrive(b, r).Claim.Expires
	b.Run("tick", func(b *testing.B) {
		for b.Loop() {
			last = last.Add(time.Microsecond) // each time news
			for n := range uint64(1000) {
				r.Renew(idOf(n), last)
			}
			tickRoom(b, r)
		}
	})
}
