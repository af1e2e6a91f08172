// Package express answers what lies ready on the connection itself, in the goroutine
// that reads it: without a server, its buffers and its goroutines. What does not lie
// ready reaches the ordinary server as it came, on the same connection, and behind it
// the lane goes on.
//
// It owns the order of what is written on such a connection: whole frames, one answer
// behind the other, never more than the client has room for. What a request gets a
// Desk says; the package decides nothing, keeps nothing of a request beyond its answer,
// and never looks into a body. What it does not understand it does not touch: that is
// the server's.
package express
