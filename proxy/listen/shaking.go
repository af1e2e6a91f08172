package listen

import (
	"context"
	"errors"
)

// shaking is a connection under TLS, on which is worked at the desk until it is
// greeted: a seat is held from what the client has said to what it is to say next.
type shaking struct {
	*conn
	ctx    context.Context // of the handshake
	desk   *desk
	seated bool
}

func (s *shaking) Read(b []byte) (int, error) {
	if s.greeted {
		return s.conn.Read(b)
	}
	s.Rest()
	n, err := s.conn.Read(b)
	if n == 0 || !s.from.IsValid() {
		return n, err
	}
	waited, none := s.desk.sit(s.ctx, s.from)
	if none != nil {
		return 0, none
	}
	s.seated = true
	if waited && s.gone() {
		return 0, errors.New("the client left while it waited")
	}
	return n, err
}

// Rest gives the seat back for what is left of this step. Whoever waits for somebody
// else in the handshake, such as a store, calls it before.
func (s *shaking) Rest() {
	if s.seated {
		s.seated = false
		s.desk.rise(s.from)
	}
}
