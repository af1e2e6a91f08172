package cache

import (
	"net/http"
	"net/url"
	"time"
)

// changed lets go of what an unsafe request may have changed, once it has
// succeeded (RFC 9111, 4.4): its own target, and those of the same host that the
// answer names.
func (c *Cache) changed(r *http.Request, resp *http.Response, now time.Time) {
	if resp.StatusCode < 200 || resp.StatusCode >= 400 {
		return
	}
	own := keyOf(r)
	for _, target := range append([]string{targetOf(own)}, namedTargets(r, resp)...) {
		key := targetKey(own, target)
		c.notes.write(key, func(n *note) { n.changed = now })
		c.store.forget(key)
		c.ground(func(other string) bool { return other == key })
	}
}

// namedTargets are those that an answer says it is about (RFC 9111, 4.4).
func namedTargets(r *http.Request, resp *http.Response) (targets []string) {
	base := &url.URL{Scheme: r.Header.Get("X-Forwarded-Proto"), Host: hostOf(r), Path: r.URL.Path, RawPath: r.URL.RawPath}
	if base.Scheme == "" {
		base.Scheme = "https"
	}
	if opaque := r.URL.Opaque; opaque != "" {
		if u, err := url.ParseRequestURI(opaque); err == nil {
			base.Path, base.RawPath = u.Path, u.RawPath
		}
	}
	for _, name := range []string{"Location", "Content-Location"} {
		value := resp.Header.Get(name)
		if value == "" {
			continue
		}
		u, err := base.Parse(value)
		if err == nil && u.Scheme == base.Scheme && normalHost(u.Scheme, u.Host) == normalHost(base.Scheme, base.Host) {
			targets = append(targets, u.RequestURI())
		}
	}
	return targets
}
