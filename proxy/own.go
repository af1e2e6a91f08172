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
type part[V asker] struct {
	methods []string
	there   func(V) bool           // nil: always
	quick   func(V) (answer, bool) // without a word to anybody, to whom that can be said; nil: to nobody
	answer  func(V) answer         // to all others; nil: of statusPart and leftPart, which are files
}

// asker is who asks about a sale or a room, a visit or a guest.
type asker interface {
	blind() bool         // nothing is known yet of what it is about
	paused() answer      // to who is told nothing now
	about(answer) answer // an answer whose page says what it is about
	view(me) static.View // what a page may say
	payer() payer        // whom limits count it for
	id() string          // of the sale or the room
}

// saleParts and roomParts are all there are.
var (
	saleParts = map[string]part[*visit]{
		statusPart:  {methods: gets},
		leftPart:    {methods: gets},
		"me":        {methods: gets, quick: (*visit).meAtOnce, answer: (*visit).me},
		"line":      {methods: gets, quick: (*visit).lineAtOnce, answer: (*visit).linePage},
		"order":     {methods: gets, answer: (*visit).order},
		"ticket":    {methods: posts, quick: (*visit).ticketAtOnce, answer: (*visit).join},
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

// atOnce is what a part answers without a word to anybody; ok is false where it goes on.
func (p part[V]) atOnce(who V, q *question) (a answer, ok bool) {
	methods := p.methodsFor(who)
	switch {
	case methods == nil:
		return who.about(problem(http.StatusNotFound, "not_found", static.NotFound)), true
	case !slices.Contains(methods, q.method):
		return who.about(methodNotAllowed(strings.Join(methods, ", "))), true
	case who.blind():
		return who.paused(), true
	case p.quick == nil || q.framed():
		return answer{}, false
	}
	if a, ok = p.quick(who); ok {
		a = a.toLine(q, who.id())
	}
	return a, ok
}

// goOn is what a part answers to a request that atOnce let go on.
func goOn[V asker](who V, p part[V], h *house, q *question) answer {
	if no, is := pays(who, h, q); is {
		return no
	}
	return p.answer(who).toLine(q, who.id())
}

// pays counts a request that goes on. What is above a limit, or from inside a frame, has
// its answer.
func pays[V asker](who V, h *house, q *question) (a answer, is bool) {
	if over := h.limits.request(who.payer(), time.Now()); over != nil {
		return who.about(slowDown(*over)), true
	}
	if q.framed() {
		return openedInFrame(who.view(me{})), true
	}
	return answer{}, false
}
