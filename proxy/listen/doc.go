// Package listen opens the sockets of an edge and hands them to its successor,
// and makes of what arrives there connections that can be served: their PROXY
// header read, their handshake done, their requests read strictly.
//
// A connection that dawdles holds up no other, and there are never more than a
// stated number. None is reset by us while its client may still read: what is
// closed is closed for writing first (RFC 9112, 9.6). A socket that is handed over
// stays open from the one program to the other, with all who wait in its queue.
//
// It never looks into a request.
package listen
