package cache

import (
	"io"
	"sync"
)

// ending is a body whose end somebody has to hear of, once.
type ending struct {
	io.Reader
	end func() error
}

func newEnding(body io.ReadCloser, then func()) *ending {
	return &ending{body, sync.OnceValue(func() error {
		err := body.Close()
		then()
		return err
	})}
}

func (e *ending) Close() error { return e.end() }
