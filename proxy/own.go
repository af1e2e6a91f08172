package proxy

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/waitroom/waitroom/static"
)

var (
	gets  = []string{http.MethodGet, http.MethodHead}
	posts = []string{http.MethodPost}
)

// statusPart is the shared status: the same for everybody, so who asks for it is not
// counted.
const statusPart = "status"

// part is one of what is under our own prefix about a sale or a room: what it answers
// to whom, V, who asks with one of its methods.
type part[V any] struct {
	methods []string
	there   func(V) bool   // nil: always
	answer  func(V) answer // nil: of statusPart and leftPart, which are files
}

// saleParts and roomParts are all there are.
var (
	saleParts = map[string]part[*visit]{
		statusPart:  {methods: gets},
		leftPart:    {methods: gets},
		"me":        {methods: gets, answer: (*visit).me},
		"line":      {methods: gets, answer: (*visit).linePage},
		"order":     {methods: gets, answer: (*visit).order},
		"ticket":    {methods: posts, answer: (*visit).join},
		"pass":      {methods: posts, answer: (*visit).givePass},
		"invite":    {methods: gets, there: (*visit).isByInvitation, answer: (*visit).invite},
		"challenge": {methods: gets, there: (*visit).isAsked, answer: (*visit).challenge},
		"prove":     {methods: gets, there: (*visit).putsBehind, answer: (*visit).prove},
	}
	roomParts = map[string]part[*guest]{
		statusPart: {methods: gets},
		"me":       {methods: gets, answer: (*guest).me},
		"line":     {methods: gets, answer: (*guest).line},
		"ticket":   {methods: posts, answer: (*guest).join},
		"pass":     {methods: posts, answer: (*guest).givePass},
	}
)

// methodsFor are those that a part takes from whoever asks; none: it is not there.
func (p part[V]) methodsFor(who V) []string {
	if p.there != nil && !p.there(who) {
		return nil
	}
	return p.methods
}

// screen gives the answer to a request under our own prefix that is one too many, or
// whose part is not there or takes other methods; nil lets it on. The shared status is
// the same for everybody, so who asks for it is not counted.
func (h *house) screen(r *http.Request, part string, methods []string, p payer) *answer {
	takes := slices.Contains(methods, r.Method)
	if part == statusPart && takes {
		return nil
	}
	var no answer
	switch over := h.limits.request(p, time.Now()); {
	case over != nil:
		no = slowDown(*over)
	case takes:
		return nil
	case methods == nil:
		no = problem(http.StatusNotFound, "not_found", static.NotFound)
	default:
		no = methodNotAllowed(strings.Join(methods, ", "))
	}
	return &no
}

// serveOwn answers what is under our own prefix about a sale.
func (h *house) serveOwn(w http.ResponseWriter, r *http.Request, rec *record, want want) {
	p := saleParts[want.part]
	if want.part == leftPart && slices.Contains(p.methods, r.Method) { // whoever asks
		rec.decision = "left"
		serveLeft(w, r)
		return
	}
	v := h.visit(r, h.doors[want.sale.ID])
	switch no := h.screen(r, want.part, p.methodsFor(v), v.payer()); {
	case no != nil:
		rec.end(w, r, v.about(*no))
	case v.board == nil:
		rec.end(w, r, v.paused())
	case want.part == statusPart:
		rec.decision = "status"
		v.board.status.serve(w, r)
	case framed(r):
		rec.end(w, r, openedInFrame(v.view(me{})))
	default:
		rec.end(w, r, p.answer(v).toLine(r, want.sale.ID))
	}
}
