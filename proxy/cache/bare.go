package cache

import (
	"net/http"
	"slices"
	"strings"
)

// bareHeader is the header of a question for nobody in particular: what the target's
// answers are chosen by, and what the proxy says about the way. Whatever else one
// client says could make the origin fail, refuse or wait for that client alone. Where
// nobody knows what the answers are chosen by, it is what they commonly are.
func (c *Cache) bareHeader(h http.Header, vary []selector) http.Header {
	bare := http.Header{"Accept": {"text/html,*/*;q=0.8"}, "User-Agent": {"waitroom"}}
	for name, lines := range h {
		switch {
		case name == "Cookie", name == "Authorization", c.isOwn(name): // whatever they choose
		case slices.ContainsFunc(vary, func(s selector) bool { return s.name == name }),
			vary == nil && strings.HasPrefix(name, "Accept"),
			strings.HasPrefix(name, "X-Forwarded-"), name == "Forwarded", name == "Via":
			bare[name] = lines
		}
	}
	for _, s := range vary {
		if len(h[s.name]) == 0 {
			delete(bare, s.name)
		}
	}
	return bare
}
