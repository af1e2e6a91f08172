package wiring

import (
	"math"
	"os"
	"runtime/debug"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"go.uber.org/zap"
)

// memoryShare is how much of the memory that the system gives the program may take
// before it looks harder for what is not used any more: nine tenths. The rest is for
// what the limit of Go does not count, and for the system.
const memoryShare = 0.9

// LimitMemory puts a soft limit of memory into force: that of GOMEMLIMIT where there is
// one, else a share of what the system gives the program; and says how many bytes that
// are.
func LimitMemory(log *zap.Logger) (bytes uint64) {
	if strings.TrimSpace(os.Getenv("GOMEMLIMIT")) != "" {
		limit := debug.SetMemoryLimit(-1)
		log.Info("memory limited by GOMEMLIMIT", zap.Int64("bytes", limit))
		return uint64(limit) //nolint:gosec // it is never negative
	}
	given, err := memoryGiven()
	if err != nil {
		log.Warn("memory not limited, for it is not known how much there is", zap.Error(err))
		return math.MaxUint64
	}
	limit := uint64(float64(given) * memoryShare)
	debug.SetMemoryLimit(int64(limit)) //nolint:gosec // no machine has so much
	log.Info("memory limited", zap.Uint64("bytes", limit), zap.Uint64("of", given))
	return limit
}

// memoryGiven is what the machine has, or the control group allows where that is less.
func memoryGiven() (uint64, error) {
	machine, err := memlimit.FromSystem()
	if group, wrong := memlimit.FromCgroup(); wrong == nil && (err != nil || group < machine) {
		return group, nil
	}
	return machine, err
}
