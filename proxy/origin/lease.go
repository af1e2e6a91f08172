package origin

import (
	"io"
	"net/http"
	"sync"
)

// lease makes the body of an answer hold the slot and the connection of its
// request.
func (s *server) lease(c *call, k *conn, resp *http.Response) {
	hint, leave := keepHint(resp.Header), c.slot.leave
	back := sync.OnceFunc(func() { s.giveBack(k, hint); leave() })
	both, upgraded := resp.Body.(io.ReadWriteCloser)
	switch {
	case resp.Body == http.NoBody:
		back()
	case upgraded:
		resp.Body = &upgradedBody{both, k.wire, sync.OnceFunc(leave)}
	default:
		resp.Body = newBody(s, resp.Body, resp.ContentLength, back)
	}
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
