//go:build race

package proxy_test

// The race detector makes a request several times as dear, and has pools forget.
func init() { polls /= 5; forgotten = 8 }
