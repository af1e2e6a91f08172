package wiring_test

import (
	"math"
	"runtime/debug"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
)

// TestLimitMemory: a limit is in force below what there is, and that of GOMEMLIMIT is
// left alone.
func TestLimitMemory(t *testing.T) { // alone, for it is the process's
	was := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(was)
	core, said := observer.New(zap.InfoLevel)
	told := wiring.LimitMemory(zap.New(core))
	lines := said.TakeAll()
	if len(lines) != 1 || lines[0].Message != "memory limited" {
		t.Fatalf("said %v, want that memory is limited", lines)
	}
	limit, of := debug.SetMemoryLimit(-1), lines[0].ContextMap()["of"].(uint64)  //nolint:errcheck // it panics
	if limit != int64(float64(of)*0.9) || of < 64<<20 || told != uint64(limit) { //nolint:gosec // it is never negative
		t.Errorf("the limit is %d of %d, and %d is said, want nine tenths of what there is", limit, of, told)
	}

	t.Setenv("GOMEMLIMIT", "1GiB")
	debug.SetMemoryLimit(1 << 30)
	told = wiring.LimitMemory(zap.New(core))
	if got := debug.SetMemoryLimit(-1); got != 1<<30 || told != 1<<30 {
		t.Errorf("the limit is %d, and %d is said, want the gigabyte of GOMEMLIMIT", got, told)
	}
}
