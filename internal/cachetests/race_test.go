//go:build race

package cachetests_test

// The program is built as the test is: with the race detector or without.
func init() { buildFlags = []string{"-race"} }
