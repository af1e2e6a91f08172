// Package listen opens the sockets of an edge and hands them to its successor,
// and makes of what arrives there connections that can be served: their PROXY
// header read, their handshake done.
package listen
