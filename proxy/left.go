package proxy

import (
	"net/http"
	"strings"
	"sync"

	"github.com/waitroom/waitroom/static"
)

// leftPart is the script that a page of the shop's own loads to tell how many
// units are left. A crowd loads it with the page, so it is given away as the page
// is: to everybody, without a ticket and under no limit.
const leftPart = "left.js"

// loads are the scripts that pages load from us. They are given to everybody, from memory.
type loads struct {
	left   *lying
	same   *lying // to who has it already
	tag    string
	assets sync.Map // of what our own pages load: its name to *lying
}

func newLoads() *loads {
	script, tag := static.Left()
	said := []field{
		{"Access-Control-Allow-Origin", anyone}, {"Access-Control-Expose-Headers", toBeRead},
		{"Cache-Control", "public, max-age=300, stale-while-revalidate=86400"}, {"Etag", tag}, {"X-Content-Type-Options", "nosniff"},
	}
	return &loads{
		tag: tag, same: lay(http.StatusNotModified, nil, said...),
		left: lay(http.StatusOK, script, append(said, field{"Content-Type", "text/javascript; charset=utf-8"})...),
	}
}

// forPage is the script of leftPart.
func (s *loads) forPage(q *question) *lying {
	if etagMatches(q.field("If-None-Match"), s.tag) {
		return s.same
	}
	return s.left
}

// asset is a script under its name, which it has for ever (RFC 8246): another content
// has another one. nil: there is none.
func (s *loads) asset(name string) *lying {
	if l, ok := s.assets.Load(name); ok {
		return l.(*lying)
	}
	script, ok := static.Asset(name)
	if !ok {
		return nil
	}
	l := lay(http.StatusOK, script,
		field{"Cache-Control", "public, max-age=31536000, immutable"},
		field{"Content-Security-Policy", "default-src 'none'"}, // of a worker: it asks nobody
		field{"Content-Type", "text/javascript; charset=utf-8"}, field{"X-Content-Type-Options", "nosniff"})
	s.assets.Store(strings.Clone(name), l)
	return l
}
