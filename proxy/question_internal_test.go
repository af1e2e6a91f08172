package proxy

import (
	"net/http"
	"net/url"
)

// asks is the question of a request, of which not all need be there.
func asks(r *http.Request) *question {
	if r.URL == nil {
		r.URL = &url.URL{}
	}
	q := questionOf(r)
	return &q
}
