//go:build race

package express_test

// Under the race detector pools give back less than they got.
func init() { mostAllocs = 20 }
