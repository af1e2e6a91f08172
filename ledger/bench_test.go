package ledger_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/internal/testserver"
)

// BenchmarkDrain writes winners as orders, from the stream to the note: one
// worker, one sale, Postgres with synchronous_commit on.
func BenchmarkDrain(b *testing.B) {
	s := onPostgres(b, testserver.Postgres(b), testserver.Redis(b), b.N+1)
	s.open()
	for left := b.N; left > 0; {
		n := min(left, 1000)
		left -= n
		_, err := s.rdb.Pipelined(s.Context(), func(p redis.Pipeliner) error {
			for i := range n {
				id := uuid.NewString()
				p.XAdd(s.Context(), &redis.XAddArgs{Stream: s.stream(), Values: winner(id, fmt.Sprint("a", left+i), "1")})
			}
			return nil
		})
		check(b, err)
	}
	b.ResetTimer()
	s.drain()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "orders/s")
	s.wantCounts(b.N, 0)
}
