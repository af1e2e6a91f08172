// Package proxy is what stands before a shop: it terminates TLS, decides what each
// request gets, and passes on what belongs to no sale.
//
// Its parts each know one thing: listen the sockets, express how to answer there what
// lies ready, framing where a message ends, certs what is proved in a handshake, cache
// what may be kept for everybody, origin where the storefront is. None knows another, but
// for listen, which has express answer first, and express, which has framing read. What
// they mean for a sale is decided here.
//
// A request ends in exactly one of: the product page from the cache, an answer
// about a shopper's place, a verdict of the shedder, a hold from the gate, the
// origin's answer, or an error; and in exactly one access record.
//
// It owns the HTTP contract with shoppers, storefronts and operators. It never
// reaches the ledger: the request path cannot wait for Postgres. It keeps
// nothing for a shopper who waits; what it knows of a sale it reads from one
// pointer to a board that a ticker replaces whole.
package proxy
