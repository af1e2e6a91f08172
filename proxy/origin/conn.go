package origin

import (
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// conn is one connection to a server: over HTTP/1.1 for one request at a time,
// over HTTP/2 for many. One of HTTP/1.1 is direct until it is to carry a request that
// is not plain.
type conn struct {
	*http.ClientConn // nil: it is direct
	wire             *wire
	direct           *direct // nil: a standard client speaks
	http2            bool
	http1            bool        // HTTP/1.1 although the server may speak HTTP/2
	used             atomic.Bool // it has carried a request
	last             bool        // it carries no other one
	expiry           *time.Timer // while it is kept; HTTP/2 looks after itself
}

// raw is what was dialled.
func (k *conn) raw() net.Conn {
	if k.direct != nil {
		return k.direct.Conn
	}
	return k.wire.Conn
}

// isFree reports whether a connection that was kept can carry a request now.
func (k *conn) isFree() bool {
	return quiet(k.raw()) && (k.direct != nil || k.Reserve() == nil)
}

// rest is for the end of an answer over HTTP/1.1. It reports whether nothing stood
// behind it, so that another request can go out.
func (k *conn) rest() bool {
	if k.direct != nil {
		return k.direct.rest()
	}
	return k.Available() > 0 && k.wire.rest() && k.Available() > 0
}

// Close ends it.
func (k *conn) Close() error {
	if k.direct != nil {
		return k.direct.Close()
	}
	return k.ClientConn.Close()
}
