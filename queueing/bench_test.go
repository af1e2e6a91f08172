package queueing_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/queueing"
)

// What one Redis carries of each call, at a rate that never says no.
func BenchmarkLine(b *testing.B) {
	rdb := client(b, testserver.Redis(b))
	l := queueing.NewLine(rdb, saleAt(time.Now(), 0, 100_000, 1_000_000))
	if err := rdb.HSet(b.Context(), "wr:{line:golden-toy}", "entered", 100_000_000, "head", 100_000_000).Err(); err != nil {
		b.Fatal(err)
	}
	b.Run("claim", func(b *testing.B) {
		var place atomic.Uint64
		b.SetParallelism(32)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_, err := l.Claim(b.Context(), at(place.Add(1)))
				if _, wait := errors.AsType[*queueing.WaitError](err); err != nil && !wait {
					b.Error(err)
				}
			}
		})
	})
	b.Run("tick", func(b *testing.B) {
		for b.Loop() {
			if _, err := l.Tick(b.Context(), true, queueing.Stock{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("enter", func(b *testing.B) {
		b.SetParallelism(1000)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := l.Enter(b.Context(), queueing.Entry{}); err != nil {
					b.Error(err)
				}
			}
		})
	})
}
