package origin

import (
	"io"
	"net/http"
	"sync"
)

// lease makes the body of an answer hold the slot and the connection of its
// request. One that is whole in memory holds neither, unless too many are.
func (s *server) lease(c *call, k *conn, resp *http.Response) {
	hint, slot := keepHint(resp.Header), c.slot
	if resp.Body == http.NoBody || s.isEarly(resp.Body) {
		s.giveBack(k, hint)
		slot.leave()
		return
	}
	if both, upgraded := resp.Body.(io.ReadWriteCloser); upgraded {
		resp.Body = &upgradedBody{both, k.wire, sync.OnceFunc(slot.leave)}
		return
	}
	resp.Body = newBody(s, resp.Body, resp.ContentLength, func() { s.giveBack(k, hint); slot.leave() })
}

// isEarly reports whether a body is in memory and may be there without a slot.
func (s *server) isEarly(body io.ReadCloser) bool {
	whole, ok := body.(*wholeBody)
	if !ok {
		return false
	}
	if s.pool.early.Add(1) > mostEarly {
		s.pool.early.Add(-1)
		return false
	}
	whole.early = &s.pool.early
	return true
}

// upgradedBody is a connection that speaks another protocol from here on.
type upgradedBody struct {
	io.ReadWriteCloser
	wire  *wire
	leave func()
}

// CloseWrite ends one direction.
func (u *upgradedBody) CloseWrite() error { return u.wire.CloseWrite() }

func (u *upgradedBody) Close() error {
	err := u.ReadWriteCloser.Close()
	u.leave()
	return err
}
