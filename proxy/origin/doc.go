// Package origin reaches the storefront: one or several servers in turn, past
// those that do not answer.
//
// It sends what it is given and returns what comes back. What a request may say
// and what of the answer a shopper may see is decided in package proxy.
//
// It holds to these: a request of which a byte may have reached a server is sent
// again only if it is a GET, HEAD or OPTIONS without a body whose kept connection
// turned out dead before a byte of the answer; at most so many requests are under
// way at one server, over HTTP/1.1 and HTTP/2 alike; and no server is given up,
// for where none answers each request tries them all.
package origin
