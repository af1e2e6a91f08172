package origin

import (
	"net/http"
	"sync/atomic"
	"time"
)

// conn is one connection to a server: over HTTP/1.1 for one request at a time,
// over HTTP/2 for many.
type conn struct {
	*http.ClientConn
	wire   *wire
	http2  bool
	http1  bool        // HTTP/1.1 although the server may speak HTTP/2
	used   atomic.Bool // it has carried a request
	last   bool        // it carries no other one
	expiry *time.Timer // while it is kept; HTTP/2 looks after itself
}
