package proxy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/shedding"
)

// document is a finished JSON document, the same bytes for everybody.
type document struct {
	body  []byte
	etag  string // strong
	whole *lying
	same  *lying // to who has it already
}

// shared is the status document (the contract's fields). Numbers that do not
// exist yet are null.
type shared struct {
	Sale       string  `json:"sale"`
	Run        string  `json:"run,omitempty"` // of a sale that repeats: what its draw is keyed by
	Title      string  `json:"title"`
	State      string  `json:"state"`
	Now        int64   `json:"now"`
	Doors      int64   `json:"doors"`
	Opens      int64   `json:"opens"`
	Closes     int64   `json:"closes"`
	Entered    uint64  `json:"entered"`
	Invited    int     `json:"invitations,omitempty"` // how many may stand before the draw, from doors on
	Behind     uint64  `json:"behind,omitempty"`      // how many stand behind the draw, and before who comes later
	Drawn      *uint64 `json:"drawn"`
	Commitment string  `json:"commitment,omitempty"`
	Mix        string  `json:"mix,omitempty"`   // names the public value of the draw, from doors on
	Mixed      string  `json:"mixed,omitempty"` // that value, once given
	Seed       string  `json:"seed,omitempty"`
	Head       uint64  `json:"head"`
	Rate       float64 `json:"rate"`
	StockLeft  int     `json:"stock_left"`
	StockHeld  int     `json:"stock_held"` // not paid for yet: what nobody pays for comes back
	// With so many people ahead, or more, a place is hopeless; null: none is.
	HopelessAhead *uint64        `json:"hopeless_ahead"`
	Odds          *shedding.Odds `json:"odds_ahead"` // null: nobody has a place, or nothing can be told
	// With so many people ahead, or more, nobody can tell how long it takes; null: for all
	// it can be told.
	EtaAhead *uint64 `json:"eta_ahead"`
	Message  string  `json:"message"`
}

// stockOf is what the document says of the gate, carried with the line's picture
// so that every edge publishes the same. A gate that is missing before the opening is
// not loaded yet, and will have what the sale has; later it is forgotten, and what was
// published last is the best that is known. last is nil if nothing is.
func stockOf(sale *configs.Sale, g gate.Snapshot, last *board) queueing.Stock {
	if !g.Missing {
		return queueing.Stock{Left: g.Offered(), Held: heldIn(g), State: gateState(g)}
	}
	now, said := time.Now(), queueing.Stock{}
	if last != nil {
		now, said = last.now(), last.line.Shown.Stock
	}
	if now.Before(sale.Opens) {
		said = queueing.Stock{Left: sale.Stock}
	}
	return queueing.Stock{Left: said.Left, Held: said.Held, State: gateState(g)}
}

// heldIn is how many units are held and not paid for.
func heldIn(g gate.Snapshot) int { return max(0, g.Total-g.Offered()-g.Paid) }

func statusDocument(sale *configs.Sale, shown *queueing.Snapshot, o odds, stale bool) document {
	s := shared{
		Sale: sale.ID, Title: sale.Title, State: saleState(shown.State, shown.Stock.State, stale),
		Now:     shown.Now.UnixMilli(),
		Doors:   sale.Doors.UnixMilli(),
		Opens:   sale.Opens.UnixMilli(),
		Closes:  sale.Closes.UnixMilli(),
		Entered: shown.Entered, Behind: shown.Behind, Commitment: shown.Commitment,
		Head: shown.Head, Rate: shown.Rate, Message: shown.Message,
		StockLeft: shown.Stock.Left, StockHeld: shown.Stock.Held,
		HopelessAhead: o.hopelessAhead, Odds: o.words,
	}
	if sale.Key != sale.ID {
		s.Run = sale.Key
	}
	if shown.State != queueing.StateScheduled {
		s.Mix, s.Mixed, s.Invited = shown.Mix, shown.Mixed, sale.Invitations
	}
	if shown.Matched {
		s.EtaAhead = &shown.Free
	}
	if shown.Counted {
		s.Drawn = &shown.DrawnCount
	}
	if shown.Seed != nil {
		s.Seed = shown.Seed.String()
	}
	return newDocument(s)
}

func newDocument(v any) document {
	body, err := json.Marshal(v)
	if err != nil {
		panic("status document: " + err.Error()) // only plain fields
	}
	body = append(body, '\n')
	sum := sha256.Sum256(body)
	d := document{body: body, etag: `"` + hex.EncodeToString(sum[:12]) + `"`}
	said := []field{
		{"Access-Control-Allow-Origin", anyone}, {"Access-Control-Expose-Headers", toBeRead},
		{"Cache-Control", "public, max-age=1"}, {"Etag", d.etag},
	}
	d.same = lay(http.StatusNotModified, nil, said...)
	d.whole = lay(http.StatusOK, body, append(said, field{"Content-Type", "application/json"}, field{"X-Content-Type-Options", "nosniff"})...)
	return d
}

// answer is the document, or 304 to who has it already (RFC 9110, 13.1.2).
func (d *document) answer(q *question) *lying {
	if etagMatches(q.field("If-None-Match"), d.etag) {
		return d.same
	}
	return d.whole
}

// etagMatches is the weak comparison of If-None-Match.
func etagMatches(header, etag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		part = strings.TrimSpace(part)
		if part == "*" || strings.TrimPrefix(part, "W/") == etag {
			return true
		}
	}
	return false
}
