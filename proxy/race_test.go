//go:build race

package proxy_test

// The race detector makes a request several times as dear, and takes memory itself.
func init() { polls /= 5; detector = true }
