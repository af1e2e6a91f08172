//go:build race

package proxy_test

// The race detector makes a request several times as dear.
func init() { polls /= 5 }
