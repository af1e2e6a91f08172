package proxy

import (
	"io"
	"net/http"
	"time"
)

const (
	// What is left of a body when its request is answered is read first, up to so many
	// bytes and for so long.
	unreadMost = maxEvidence
	unreadWait = time.Second
)

// readRest reads what nobody wanted of a small body that comes over HTTP/2. A stream
// that is answered before its body has ended is reset right behind the answer (RFC
// 9113, 8.1), and some clients lose the answer with it. Over HTTP/1.1 the server does
// as much itself; who waits for 100 Continue sends nothing.
func readRest(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor != 2 || !hasBody(r) || r.ContentLength > unreadMost || r.Header.Get("Expect") != "" {
		return
	}
	if http.NewResponseController(w).SetReadDeadline(time.Now().Add(unreadWait)) != nil {
		return // it could take for ever
	}
	_, _ = io.CopyN(io.Discard, r.Body, unreadMost) // the answer is what counts
}
