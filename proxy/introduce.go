package proxy

import (
	"net/http"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/waitroom/waitroom/queueing"
)

const proofLife = 10 * time.Minute

// introduce tells the origin about a shopper who holds a reservation. With
// reservations in several sales it is the one in the sale that opened last.
func (h *house) introduce(out http.Header, r *http.Request) {
	for i := len(h.cfg.Sales) - 1; i >= 0; i-- {
		d := h.doors[h.cfg.Sales[i].ID]
		b := d.board.Load()
		if b == nil || cookieValue(r, passPrefix+d.sale.ID) == "" {
			continue
		}
		s := h.shopper(r, b)
		if s.pass == nil || s.pass.Reservation == "" {
			continue
		}
		out.Set("Waitroom-Sale", d.sale.ID)
		out.Set("Waitroom-Reservation", s.pass.Reservation)
		out.Set("Waitroom-Token", h.proof(d.sale.ID, s.pass, b.now()))
		return
	}
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
func (h *house) obey(resp *http.Response, asked *http.Request, g *guest) {
	command := resp.Header.Get("Waitroom-Command")
	removeOwnFields(resp.Header)
	var gives []*http.Cookie
	if command == "release" {
		for id := range h.doors {
			if name := passPrefix + id; cookieValue(asked, name) != "" {
				gives = append(gives, ownCookie(name, "", 0))
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

// keepPrivate makes an answer one that no shared cache stores, whatever it said
// of itself (RFC 9111, 5.2.2; RFC 9213 for what is meant for one cache only).
func keepPrivate(h http.Header) {
	kept := []string{"private"}
	for _, line := range h.Values("Cache-Control") {
		for directive := range strings.SplitSeq(line, ",") {
			directive = strings.TrimSpace(directive)
			switch name, _, _ := strings.Cut(strings.ToLower(directive), "="); name {
			case "", "public", "private", "s-maxage", "proxy-revalidate":
			default:
				kept = append(kept, directive)
			}
		}
	}
	for name := range h {
		if strings.HasSuffix(name, "-Cache-Control") || name == "Surrogate-Control" {
			delete(h, name)
		}
	}
	h.Set("Cache-Control", strings.Join(kept, ", "))
}

// removeOwnFields removes what origin and waitroom say to each other.
func removeOwnFields(h http.Header) {
	for name := range h {
		if strings.HasPrefix(name, "Waitroom-") {
			delete(h, name)
		}
	}
}
