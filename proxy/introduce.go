package proxy

import (
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/waitroom/waitroom/queueing"
)

const proofLife = 10 * time.Minute

// shown are the passes for sales that a request shows, with the boards of those
// sales: that of the sale that opened last first.
func (h *house) shown(q *question) iter.Seq2[*board, *queueing.Pass] {
	return func(yield func(*board, *queueing.Pass) bool) {
		for i := len(h.cfg.Sales) - 1; i >= 0; i-- {
			id := h.cfg.Sales[i].ID
			b := h.doors[id].board.Load()
			if b == nil || q.cookie(passPrefix, id) == "" {
				continue
			}
			var s shopper
			if s.read(h, q, b); s.pass != nil && !yield(b, s.pass) {
				return
			}
		}
	}
}

// won is the board of the sale in which a shopper holds a reservation, and the pass
// that says so; nil if there is none.
func (h *house) won(q *question) (*board, *queueing.Pass) {
	for b, pass := range h.shown(q) {
		if pass.Reservation != "" {
			return b, pass
		}
	}
	return nil, nil
}

// wins reports whether a shopper holds a reservation.
func (h *house) wins(q *question) bool {
	_, pass := h.won(q)
	return pass != nil
}

// bestPass is the pass that says most of a shopper: one with a reservation that can
// still be paid, if they hold one, else any; nil if there is none.
func (h *house) bestPass(q *question) (best *queueing.Pass, pays bool) {
	for b, pass := range h.shown(q) {
		if best = pass; b.canPay(pass) {
			return best, true
		}
	}
	return best, false
}

// canPay reports whether what a pass has got, if anything, can be paid still. It lives on
// for at least as long again as there is to pay (see yes), in which the origin is told of
// it, so it ends no sooner than that.
func (b *board) canPay(p *queueing.Pass) bool {
	return p.Reservation != "" && b.now().Before(p.Expires.Add(-b.sale.Hold))
}

// introduce tells the origin about a shopper who holds a reservation.
func (h *house) introduce(out http.Header, q *question) {
	b, pass := h.won(q)
	if pass == nil {
		return
	}
	out.Set("Waitroom-Sale", b.sale.ID)
	out.Set("Waitroom-Reservation", pass.Reservation)
	out.Set("Waitroom-Token", h.proof(b.sale.ID, pass, b.now()))
}

// proof is the signed form of what introduce says, a JWT (RFC 7519) under the
// first secret. It names an account only where that is sure to be the one that
// reserved: who has one of the storefront's may be another by now.
func (h *house) proof(sale string, p *queueing.Pass, now time.Time) string {
	claims := jwt.MapClaims{
		"iss": "waitroom", "sale": sale, "reservation": p.Reservation,
		"iat": now.Unix(), "exp": now.Add(proofLife).Unix(),
	}
	if h.identity.none() {
		claims["sub"] = p.Account()
	}
	signed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(h.cfg.Secrets[0].Reveal()))
	if err != nil {
		panic("sign proof: " + err.Error()) // HMAC of plain claims
	}
	return signed
}

// obey carries out what the origin asks of us in its answer and keeps it from
// shoppers. A release ends the passes of sales, and that of the room that the
// answer is for a guest of, if it is one's. What cookies go along is for nobody
// else.
func (h *house) obey(resp *http.Response, asked *question, g *guest) {
	command := resp.Header.Get("Waitroom-Command")
	removeOwnFields(resp.Header)
	var gives []*http.Cookie
	if command == "release" {
		for id := range h.doors {
			if asked.cookie(passPrefix, id) != "" {
				gives = append(gives, ownCookie(passPrefix+id, "", 0))
			}
		}
		g.leave()
	}
	gives = append(gives, g.given()...)
	for _, c := range gives {
		resp.Header.Add("Set-Cookie", c.String())
	}
	if len(gives) > 0 {
		keepPrivate(resp.Header)
	}
}

// ownFields is how the fields begin that origin and waitroom say to each other.
const ownFields = "Waitroom-"

// removeOwnFields removes what origin and waitroom say to each other.
func removeOwnFields(h http.Header) {
	for name := range h {
		if strings.HasPrefix(name, ownFields) {
			delete(h, name)
		}
	}
}
