//go:build race

package e2e_test

// Programs are built as the tests are: with the race detector or without.
func init() { buildFlags = append(buildFlags, "-race") }
