package proxy

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/waitroom/waitroom/proxy/cache"
	"github.com/waitroom/waitroom/static"
)

// hearing is one question and what was decided on it. It is made anew for each that a
// server of net/http brings; those of the express lane come one after the other in the
// same place.
type hearing struct {
	q      question
	path   string // as it is known here; empty: it is not
	want   want
	visit  *visit // of what is of a sale, as soon as it matters who asks: nil until then, or that of the question before
	guest  *guest // likewise of a room; nil until then
	allows string // methods: it only asks whether it may be sent

	// What it gets at once is one of both.
	lies   *lying
	answer *answer

	decision string      // of what lies ready
	shown    cache.Shown // that it is, if it is a page
	paid     bool        // it is neither free, nor goes on
	by       payer       // of what is paid
}

// decide finds out what a question gets at once: from what this edge knows, without a
// word to anybody, without its body, and changing nothing but what is counted. It reports
// false where it goes on: then nothing is counted, and s has what is known by then. r is
// nil on the express lane, which leaves to the server whatever is asked for seldom.
func (h *house) decide(s *hearing, r *http.Request, now time.Time) bool {
	q := &s.q
	if no, is := h.refuse(q); is {
		return h.turnsAway(s, no, now)
	}
	read := h.routes.known[q.path]
	if read == nil {
		if q.express() {
			return h.slowsDown(s, now)
		}
		other := h.routes.read(q.path)
		read = &other
	}
	s.path = read.path
	s.want = read.choose(q.method, now)
	if s.allows = h.preflights(q, s.want); s.allows != "" {
		return false
	}
	switch s.want.kind {
	case wantOwn:
		return h.decideOwn(s, r, now)
	case wantPage:
		return h.posters[s.want.sale.ID].decide(s, now)
	case wantBuy:
		a, ok := s.visits(h, r).noAtOnce()
		return ok && s.give(h, a)
	case wantRoomOwn:
		return h.decideRoomOwn(s, r, now)
	case wantAsset:
		return h.decideAsset(s, now)
	case wantUnclear:
		return h.turnsAway(s, badRequest(errors.New("path: where it leads depends on who reads it; write it without dot segments")), now)
	case wantNothing:
		return h.turnsAway(s, problem(http.StatusNotFound, "not_found", static.NotFound), now)
	default:
		return false
	}
}

// give is the answer that it gets.
func (s *hearing) give(h *house, a answer) bool {
	h.dress(&a)
	if s.answer == nil {
		s.answer = new(answer)
	}
	*s.answer = a
	return true
}

// visits begins the visit to the sale that it is about.
func (s *hearing) visits(h *house, r *http.Request) *visit {
	if s.visit == nil {
		s.visit = new(visit)
	}
	s.visit.begin(h, r, &s.q, h.doors[s.want.sale.ID])
	return s.visit
}

// lie is what lies ready for it.
func (s *hearing) lie(l *lying, decision string) bool {
	s.lies, s.decision = l, decision
	return true
}

// pay counts it towards the limits on requests.
func (s *hearing) pay(h *house, by payer, now time.Time) *excess {
	over := h.limits.request(by, now)
	s.by, s.paid = by, over == nil
	return over
}

// turnsAway gives a refusal that is about no sale to who has nothing to show: it counts
// as any other request, and its page lies ready.
func (h *house) turnsAway(s *hearing, no answer, now time.Time) bool {
	if over := s.pay(h, payer{addr: h.trust.client(&s.q)}, now); over != nil {
		no = h.tooMany(over)
	}
	no.ready = h.ready
	return s.give(h, no)
}

// decideOwn decides on what is under our own prefix about a sale.
func (h *house) decideOwn(s *hearing, r *http.Request, now time.Time) bool {
	q, d, p := &s.q, h.doors[s.want.sale.ID], saleParts[s.want.part]
	if p.answer == nil && slices.Contains(p.methods, q.method) { // whoever asks
		switch b := d.board.Load(); {
		case s.want.part == leftPart:
			return s.lie(h.loads.forPage(q), "left")
		case b != nil:
			return s.lie(b.status.answer(q), "status")
		default:
			return s.give(h, s.visits(h, r).paused())
		}
	}
	return hear(s, h, s.visits(h, r), p, now)
}

// hear decides on a part for who asks for it. Who asks too often is told so at once, of
// what goes on, too.
func hear[V asker](s *hearing, h *house, who V, p part[V], now time.Time) bool {
	a, ok := p.atOnce(who, &s.q)
	by := who.payer()
	if !ok && !h.limits.refuses(by, now) {
		return false
	}
	over := s.pay(h, by, now)
	switch {
	case over != nil:
		a = who.about(slowDown(*over))
	case !ok: // there is a token by now
		s.unpay(h, now)
		return false
	}
	return s.give(h, a)
}

// slowsDown tells who asks too often so, on the express lane: whatever else becomes of
// what is asked for there, it is for the server.
func (h *house) slowsDown(s *hearing, now time.Time) bool {
	by := payer{addr: h.trust.client(&s.q)}
	if !h.limits.refuses(by, now) {
		return false
	}
	read := h.routes.read(s.q.path)
	switch s.want = read.choose(s.q.method, now); s.want.kind {
	case wantOrigin, wantRoom, wantPast, wantUnclear, wantNothing: // what counts for the address
	default:
		return false
	}
	over := s.pay(h, by, now)
	if over == nil { // there is a token by now
		s.unpay(h, now)
		return false
	}
	return s.give(h, h.tooMany(over))
}

// unpay takes back what was paid, if anything was, for a question that goes on.
func (s *hearing) unpay(h *house, now time.Time) {
	if s.paid {
		h.limits.refund(s.by, now)
	}
	s.paid = false
}

// decideRoomOwn decides on what is under our own prefix about a room.
func (h *house) decideRoomOwn(s *hearing, r *http.Request, now time.Time) bool {
	q, at, p := &s.q, h.rooms[s.want.room.ID], roomParts[s.want.part]
	if p.answer == nil && slices.Contains(p.methods, q.method) { // whoever asks
		if hung := at.placard.Load(); hung != nil {
			return s.lie(hung.status.answer(q), "status")
		}
		return s.give(h, h.guest(r, q, at).paused())
	}
	if q.express() {
		return false
	}
	s.guest = h.guest(r, q, at)
	return hear(s, h, s.guest, p, now)
}

// decideAsset decides on what our own pages load. It is given to everybody, from
// memory.
func (h *house) decideAsset(s *hearing, now time.Time) bool {
	l := h.loads.asset(s.want.part)
	switch {
	case l == nil:
		return h.turnsAway(s, problem(http.StatusNotFound, "not_found", static.NotFound), now)
	case !s.q.reads():
		return h.turnsAway(s, methodNotAllowed(strings.Join(gets, ", ")), now)
	}
	return s.lie(l, "asset")
}

// send gives it by way of a server of net/http.
func (s *hearing) send(w http.ResponseWriter, r *http.Request, rec *record) {
	rec.sale = s.want.id()
	if s.lies != nil {
		rec.is(s.decision, "")
		s.shown.Count()
		s.lies.send(w, &s.q)
		return
	}
	if s.want.tells() {
		rec.house.crossOrigin(&head{header: w.Header()}, &s.q, s.want)
	}
	rec.end(w, r, *s.answer)
}
