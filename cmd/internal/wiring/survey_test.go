package wiring_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/internal/testserver"
)

const surveyed = "store is not as it should be"

// listens are an operator's lines for stores and free addresses.
func listens(t *testing.T, redis, postgres string) string {
	t.Helper()
	return fmt.Sprintf("redis: {url: '%s'}\npostgres: {url: '%s'}\nlisten: {https: '127.0.0.1:0', http: off, admin: off}\nworker: {listen: '127.0.0.1:0', token: '%s'}\n",
		redis, postgres, token)
}

// ends runs a program until its log has what is wanted, and then ends it.
func ends(t *testing.T, run func(context.Context) error, logs *observer.ObservedLogs, want map[string]zapcore.Level) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	for ctx.Err() == nil && logs.FilterMessage(surveyed).Len() < len(want) {
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for words, level := range want {
		found := false
		for _, e := range logs.FilterMessage(surveyed).All() {
			found = found || e.Level == level && strings.Contains(e.ContextMap()["what"].(string), words)
		}
		if !found {
			t.Errorf("not said at level %v: %q; said was %v", level, words, logs.FilterMessage(surveyed).All())
		}
	}
}

// TestRun_SaysWhatIsWrongWithTheStores: edge and worker start, and say in their
// logs what an operator should mend.
func TestRun_SaysWhatIsWrongWithTheStores(t *testing.T) {
	t.Parallel()
	redis := testserver.StartRedis(t, "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")
	lines := listens(t, redis.URL, testserver.Postgres(t))

	core, logs := observer.New(zapcore.InfoLevel)
	edge, err := wiring.NewEdge(t.Context(), write(t, t.TempDir(), lines, "golden"), math.MaxUint64, 0, zap.New(core))
	if err != nil {
		t.Fatal(err)
	}
	ends(t, edge.Run, logs, map[string]zapcore.Level{
		"maxmemory-policy allkeys-lru": zapcore.ErrorLevel, "it persists nothing": zapcore.WarnLevel,
	})

	core, logs = observer.New(zapcore.InfoLevel)
	worker, err := wiring.NewWorker(t.Context(), write(t, t.TempDir(), lines, "golden"), zap.New(core))
	if err != nil {
		t.Fatal(err)
	}
	ends(t, worker.Run, logs, map[string]zapcore.Level{
		"maxmemory-policy allkeys-lru": zapcore.ErrorLevel, "it persists nothing": zapcore.WarnLevel, "fsync is off": zapcore.ErrorLevel,
	})
}

// TestNewWorker_SaysWhyItCannotKeepBooks: a role without rights is told which it
// lacks, not only that a statement failed.
func TestNewWorker_SaysWhyItCannotKeepBooks(t *testing.T) {
	t.Parallel()
	postgres := testserver.StartPostgres(t, "default_transaction_read_only=on")
	_, err := wiring.NewWorker(t.Context(), write(t, t.TempDir(), listens(t, testserver.Redis(t), postgres.URL), "golden"), zap.NewNop())
	if want := "postgres: takes no writes (default_transaction_read_only is on)"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}
