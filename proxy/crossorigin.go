package proxy

import (
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	preflightAge = "7200"  // seconds; browsers keep an answer no longer
	mostAsked    = 1 << 10 // bytes of the fields that a preflight asks for
	anyone       = "*"
	toBeRead     = "Retry-After, ETag, Date"
	buyMethods   = "POST, PUT, PATCH"
)

// reader is the origin of a request's page if that may read what its shopper is told:
// a page of another of our domains, or of an origin that the configuration lists. Empty
// if it may not, or need not be told since it is this host's own.
//
// Other origins can send what needs no preflight, and are told nothing, as by a shop
// that says nothing of them; what they send carries no ticket, which is SameSite=Lax.
func (h *house) reader(r *http.Request) string {
	origin := r.Header.Get("Origin")
	if isOwn(r, origin) || !h.isSister(r, origin) && !h.lists(origin) {
		return ""
	}
	return origin
}

// isSister reports whether an origin is that of one of our domains, at the port which a
// request was sent to.
func (h *house) isSister(r *http.Request, origin string) bool {
	name, secure := strings.CutPrefix(strings.ToLower(origin), "https://")
	if _, port, err := net.SplitHostPort(r.Host); err == nil && port != "443" {
		var same bool
		if name, same = strings.CutSuffix(name, ":"+port); !same {
			return false
		}
	}
	return secure && !strings.HasPrefix(name, ".") && !strings.ContainsFunc(name, notInName) && h.hosts.has(name)
}

// notInName reports a character that is in no name of a host, in lower case.
func notInName(c rune) bool {
	return c != '.' && c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z')
}

// lists reports whether the configuration lists an origin, as browsers write it.
func (h *house) lists(origin string) bool { return slices.Contains(h.cfg.CORS.Origins, origin) }

// crossOrigin says, beside whatever the answer is, which page may read it, a no as
// well. What is the same for everybody anybody's may: one copy of it does for all, and
// it is asked for without cookies.
func (h *house) crossOrigin(w http.ResponseWriter, r *http.Request, want want) {
	head := w.Header()
	switch origin := h.reader(r); {
	case want.isPublic():
		head.Set("Access-Control-Allow-Origin", anyone)
	case origin != "":
		head.Add("Vary", "Origin")
		head.Set("Access-Control-Allow-Origin", origin)
		head.Set("Access-Control-Allow-Credentials", "true")
	default:
		return
	}
	head.Set("Access-Control-Expose-Headers", toBeRead)
}

// isPublic reports whether everybody gets the same.
func (w want) isPublic() bool {
	switch w.kind {
	case wantOwn:
		return w.part == statusPart || w.part == leftPart
	case wantRoomOwn:
		return w.part == statusPart
	default:
		return false
	}
}

// preflight answers a browser that asks whether a page elsewhere may send a request,
// and reports whether it did. Whether one of our other domains may buy is for the shop
// to say, which is asked, as by every request that is not for us.
func (h *house) preflight(w http.ResponseWriter, r *http.Request, rec *record, want want) bool {
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	methods := want.methods()
	reads := want.isPublic() || h.reader(r) != ""
	if want.onBuy {
		reads, methods = h.lists(r.Header.Get("Origin")), buyMethods
	}
	if !reads || methods == "" {
		return false
	}
	if over := h.limits.request(payer{addr: h.trust.client(r)}, time.Now()); over != nil {
		rec.end(w, r, h.tooMany(over))
		return true
	}
	rec.decision = "preflight"
	h.crossOrigin(w, r, want)
	head := w.Header()
	head.Set("Access-Control-Allow-Methods", methods)
	head.Set("Access-Control-Max-Age", preflightAge)
	head.Set("Cache-Control", "no-store")
	if asked := strings.Join(r.Header.Values("Access-Control-Request-Headers"), ", "); asked != "" && len(asked) <= mostAsked && !strings.ContainsFunc(asked, notInList) {
		head.Set("Access-Control-Allow-Headers", asked)
	}
	w.WriteHeader(http.StatusNoContent)
	return true
}

// methods are those that a part of ours takes; empty: there is no such part.
func (w want) methods() string {
	switch w.kind {
	case wantOwn:
		return strings.Join(saleParts[w.part].methods, ", ")
	case wantRoomOwn:
		return strings.Join(roomParts[w.part].methods, ", ")
	default:
		return ""
	}
}

// notInList reports a character that is in no list of the names of fields.
func notInList(c rune) bool {
	return c != ' ' && c != ',' && c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}
