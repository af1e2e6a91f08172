package cache

import (
	"io"
	"net/http"
	"time"
)

// Warm fetches what a request asks for into the cache, unless it is there and
// fresh, or is known not to be kept. What is there then stays there for a minute,
// whatever others ask for. What the origin answers is its own affair; an error is
// one of next, or of the body.
func (c *Cache) Warm(next http.RoundTripper, r *http.Request) error {
	t := &transport{c, next, ""}
	q := ask(r, c.own)
	now := time.Now()
	defer func() { c.store.warm(q.key, time.Now()) }()
	a, _ := t.kept(r, q)
	if c.size() == 0 || a != nil && a.fresh(now) || now.Before(c.notes.of(q.key).aloneUntil) {
		return nil
	}
	resp, err := t.RoundTrip(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	_, err = io.CopyN(io.Discard, resp.Body, c.most()+1)
	if err == io.EOF {
		err = nil
	}
	return err
}
