package proxy

import (
	"net/http"

	"github.com/waitroom/waitroom/static"
)

// framed reports whether a browser wants a page to show it inside another one, where
// nobody sees whose it is and what lies over it. Browsers that do not say so are kept
// from it by the content policy.
func (q *question) framed() bool {
	if q.field("Sec-Fetch-Mode") != "navigate" {
		return false
	}
	switch q.field("Sec-Fetch-Dest") {
	case "iframe", "frame", "fencedframe", "embed", "object":
		return true
	default:
		return false
	}
}

// inFrame is the one page that may be shown there: it tells nothing of the shopper,
// takes no press but one that opens it by itself, and gives no cookie. A refusal stays
// one, and what it says is to be read there, too.
func (a answer) inFrame(q *question) answer {
	v := a.view
	a.page, a.cookies = static.Framed, nil
	a.ready, a.common = nil, false // it leads to what was asked for, which is seldom the same
	a.view = static.View{Title: v.Title, ProductPage: v.ProductPage, Lang: v.Lang, Brand: v.Brand}
	if target := q.address(); q.method == http.MethodGet && isBack(target) {
		a.view.Whole = target
	}
	return a
}

// openedInFrame is the answer to who wants to be told there where they stand.
func openedInFrame(view static.View) answer {
	return answer{status: http.StatusOK, decision: "framed", code: "framed", page: static.Framed, view: view}
}
