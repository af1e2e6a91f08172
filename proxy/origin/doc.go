// Package origin reaches the storefront: one or several servers in turn, past
// those that do not answer.
//
// It sends what it is given and returns what comes back. What a request may say
// and what of the answer a shopper may see is decided in package proxy.
package origin
