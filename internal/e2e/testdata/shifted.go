// Package shifted is the clock of a program that is built to have a wrong one,
// see clock_test.go.
package shifted

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
	"unsafe"
)

// clock is the file that says by how many whole seconds the clock is wrong. It
// lies beside the configuration and may change at any moment.
var clock = func() string {
	for i, arg := range os.Args[:len(os.Args)-1] {
		if arg == "--config" {
			return filepath.Join(filepath.Dir(os.Args[i+1]), "clock")
		}
	}
	return ""
}()

// Now is wrong on the wall and right on the monotonic clock, as when somebody
// sets the time of a machine. No function of package time does that: a Time
// begins with a word whose upper bits count seconds, from bit 30 on.
func Now() time.Time {
	now := time.Now()
	text, _ := os.ReadFile(clock) // no file: the clock is right
	seconds, _ := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	*(*uint64)(unsafe.Pointer(&now)) += uint64(seconds) << 30
	return now
}

// Since is time.Since by this clock: right from one Now to another, as monotonic
// clocks are, and wrong from an instant that came from elsewhere.
func Since(t time.Time) time.Duration { return Now().Sub(t) }

// Until is time.Until by this clock, likewise.
func Until(t time.Time) time.Duration { return t.Sub(Now()) }
