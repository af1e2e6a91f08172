package proxy

import "strings"

// fromElsewhere reports whether a page that may not speak for its shopper sent a
// request that changes something; known says that a ticket or pass of ours came along.
//
// A browser sends none of our cookies with what a page of another site posts, even one
// of our other domains, so that what is set in answer to it would be put in the place of
// what its shopper has. A page of the same site posts with them, and speaks for its
// shopper if it may read what that is told.
//
// Browsers that do not say which site it is name the page's origin. Pages that send no
// referrer have "null" there, the shop's own too: the cookies tell those apart.
func (h *house) fromElsewhere(q *question, known bool) bool {
	origin := q.field("Origin")
	switch site := q.field("Sec-Fetch-Site"); site {
	case "same-origin", "none":
		return false
	case "same-site":
		return !isOwn(q, origin) && h.reader(q) == ""
	case "":
		ours := origin == "" || isOwn(q, origin)
		return !ours && !(known && (origin == "null" || h.reader(q) != ""))
	default:
		return true
	}
}

// isOwn reports whether an origin is that of the host which a request was sent to.
func isOwn(q *question, origin string) bool {
	name, secure := strings.CutPrefix(origin, "https://")
	return secure && strings.EqualFold(name, strings.TrimSuffix(q.host, ":443"))
}
