package testserver

import (
	"testing"

	"github.com/alicebob/miniredis/v2"
)

// Mini starts an in-process miniredis, the one of the embedded mode, that ends
// with the test. Its clock stands still until it is moved.
func Mini(t testing.TB) *miniredis.Miniredis {
	t.Helper()
	return miniredis.RunT(t)
}

// MiniURL returns the URL under which m answers.
func MiniURL(m *miniredis.Miniredis) string { return "redis://" + m.Addr() + "/0" }
