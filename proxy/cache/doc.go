// Package cache keeps what the storefront says may be kept for everybody, within
// a bound of bytes, and answers from it as RFC 9111 and RFC 5861 say.
//
// It knows HTTP and nothing else: no sale, no cookie's meaning, no listener.
package cache
