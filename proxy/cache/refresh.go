package cache

import (
	"net/http"
	"slices"
)

// ofTheBody are fields that speak about the bytes that are kept: what a 304 says
// of them is not taken over (RFC 9111, 3.2). Which bytes are meant is settled by
// the condition, which named one answer alone.
var ofTheBody = []string{"Content-Encoding", "Content-Length", "Content-Md5", "Content-Range", "Etag"}

// validate makes a request ask whether an answer is still good (RFC 9111, 4.3.1).
func (a *answer) validate(h http.Header) {
	removeConditions(h)
	if a.ownTag != "" {
		h.Set("If-None-Match", a.ownTag)
	}
	if changed := a.plain().header.Get("Last-Modified"); changed != "" {
		h.Set("If-Modified-Since", changed)
	}
}

// merged is the header of the answer after the origin has said that it is
// still good, in a 304 or in the answer to a HEAD.
func (a *answer) merged(news http.Header) http.Header {
	h := a.plain().header.Clone()
	if a.ownTag != "" {
		h.Set("Etag", a.ownTag)
	}
	news = news.Clone()
	RemoveHopFields(news)
	for _, name := range ofTheBody {
		delete(news, name)
	}
	if len(news["Date"]) == 0 {
		delete(h, "Date")
	}
	for name, values := range news {
		h[name] = values
	}
	return h
}

// refreshed is the answer, still good, with its new header; packed forms need not
// be made anew.
func (a *answer) refreshed(in http.Header, v verdict, merged http.Header, tag string, x exchange) *answer {
	was := *a.forms.Load()
	b := newAnswer(in, v, a.status, merged, was[0].body, tag, x)
	forms := *b.forms.Load()
	for _, f := range was[1:] {
		if b.packable {
			forms = append(forms, newForm(forms[0].header, f.coding, f.body))
		}
	}
	forms = slices.Clip(forms)
	b.forms.Store(&forms)
	b.wanted.Store(len(forms) > 1)
	return b
}

// sameAs reports whether a HEAD's answer is about the very answer that is kept
// (RFC 9111, 4.3.5).
func (a *answer) sameAs(status int, h http.Header) bool {
	plain := a.plain()
	for name, had := range map[string]string{
		"Etag": a.ownTag, "Last-Modified": plain.header.Get("Last-Modified"), "Content-Length": plain.header.Get("Content-Length"),
	} {
		if now := h.Get(name); now != "" && now != had {
			return false
		}
	}
	return status == a.status
}
