//go:build race

package shedding_test

// The race detector makes a call many times as dear.
func init() { million /= 10 }
