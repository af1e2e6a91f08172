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
func (h *house) reader(q *question) string {
	origin := q.field("Origin")
	if origin == "" || isOwn(q, origin) || !h.isSister(q, origin) && !h.lists(origin) {
		return ""
	}
	return origin
}

// isSister reports whether an origin is that of one of our domains, at the port which a
// request was sent to.
func (h *house) isSister(q *question, origin string) bool {
	name, secure := strings.CutPrefix(strings.ToLower(origin), "https://")
	if _, port, err := net.SplitHostPort(q.host); err == nil && port != "443" {
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
func (h *house) crossOrigin(to *head, q *question, want want) {
	switch origin := h.reader(q); {
	case want.isPublic():
		to.add("Access-Control-Allow-Origin", anyone)
	case origin != "":
		to.add("Vary", "Origin")
		to.add("Access-Control-Allow-Origin", origin)
		to.add("Access-Control-Allow-Credentials", "true")
	default:
		return
	}
	to.add("Access-Control-Expose-Headers", toBeRead)
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

// preflights are the methods by which a page elsewhere may send a request, where a
// browser asks whether it may; empty: that is not asked, or not for us to say. Whether one
// of our other domains may buy is for the shop to say, which is asked, as by every request
// that is not for us.
func (h *house) preflights(q *question, want want) (methods string) {
	switch {
	case q.method != http.MethodOptions || q.field("Access-Control-Request-Method") == "":
		return ""
	case want.onBuy && h.lists(q.field("Origin")):
		return buyMethods
	case !want.onBuy && (want.isPublic() || h.reader(q) != ""):
		return want.methods()
	default:
		return ""
	}
}

// preflight says by which methods a page elsewhere may send a request.
func (h *house) preflight(w http.ResponseWriter, r *http.Request, rec *record, want want, methods string) {
	if over := h.limits.request(payer{addr: h.trust.client(rec.q)}, time.Now()); over != nil {
		rec.end(w, r, h.tooMany(over))
		return
	}
	rec.decision = "preflight"
	h.crossOrigin(&head{header: w.Header()}, rec.q, want)
	head := w.Header()
	head.Set("Access-Control-Allow-Methods", methods)
	head.Set("Access-Control-Max-Age", preflightAge)
	head.Set("Cache-Control", "no-store")
	if asked := strings.Join(r.Header.Values("Access-Control-Request-Headers"), ", "); asked != "" && len(asked) <= mostAsked && !strings.ContainsFunc(asked, notInList) {
		head.Set("Access-Control-Allow-Headers", asked)
	}
	w.WriteHeader(http.StatusNoContent)
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
