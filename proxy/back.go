package proxy

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/waitroom/waitroom/static"
)

// maxBack is the longest address to which a shopper is led back after it was seen
// whether cookies are kept.
const maxBack = 2048

// byTheLine is the address, at a room's line, that leads back to the page that was
// asked for; empty if that is none to lead back to.
func (g *guest) byTheLine() string {
	target := g.r.URL.RequestURI()
	if !isBack(target) {
		return ""
	}
	return linePath(g.room.cfg.ID) + "?" + joined + "=" + url.QueryEscape(target)
}

// back leads to the page that was asked for at first, if cookies are kept.
func (g *guest) back(query string) answer {
	target, err := url.QueryUnescape(query)
	if err != nil || !isBack(target) {
		target = roomAddress(g.room.cfg.Path)
	}
	if g.shopper.device() == "" {
		a := g.about(problem(http.StatusOK, "cookies_needed", static.CookiesNeeded))
		a.view.RenewAt = target
		return a
	}
	return answer{status: http.StatusSeeOther, decision: "room_back", location: target}
}

// isBack reports whether a target is an address on this host to lead back to.
func isBack(target string) bool {
	return strings.HasPrefix(target, "/") && !strings.HasPrefix(target, "//") && len(target) <= maxBack &&
		!strings.ContainsFunc(target, func(c rune) bool { return c <= ' ' || c == '\\' || c == 0x7f })
}

// roomAddress is a room's path as it stands in an address.
func roomAddress(path string) string { return (&url.URL{Path: path}).EscapedPath() }
