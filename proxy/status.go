package proxy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
)

// document is a finished JSON document, the same bytes for everybody.
type document struct {
	body []byte
	etag string // strong
}

// shared is the status document (the contract's fields). Numbers that do not
// exist yet are null.
type shared struct {
	Sale       string  `json:"sale"`
	Title      string  `json:"title"`
	State      string  `json:"state"`
	Now        int64   `json:"now"`
	Doors      int64   `json:"doors"`
	Opens      int64   `json:"opens"`
	Closes     int64   `json:"closes"`
	Entered    uint64  `json:"entered"`
	Drawn      *uint64 `json:"drawn"`
	Commitment string  `json:"commitment,omitempty"`
	Seed       string  `json:"seed,omitempty"`
	Head       uint64  `json:"head"`
	Rate       float64 `json:"rate"`
	StockLeft  int     `json:"stock_left"`
	Message    string  `json:"message"`
}

func statusDocument(b *board) document {
	s := shared{
		Sale: b.sale.ID, Title: b.sale.Title, State: b.state,
		Now:     b.line.Now.UnixMilli(),
		Doors:   b.sale.Doors.UnixMilli(),
		Opens:   b.sale.Opens.UnixMilli(),
		Closes:  b.sale.Closes.UnixMilli(),
		Entered: b.line.Entered, Commitment: b.line.Commitment,
		Head: b.line.Head, Rate: b.line.Rate,
		StockLeft: b.gate.Left, Message: b.line.Message,
	}
	if b.gate.Missing {
		s.StockLeft = b.sale.Stock // not loaded yet: what it will be
	}
	if b.line.Drawn {
		s.Drawn = &b.line.DrawnCount
	}
	if b.line.Seed != nil {
		s.Seed = hex.EncodeToString(b.line.Seed[:])
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
	return document{body: body, etag: `"` + hex.EncodeToString(sum[:12]) + `"`}
}

// serve gives the document, or 304 to who has it already (RFC 9110, 13.1.2).
func (d document) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=1")
	h.Set("ETag", d.etag)
	if etagMatches(r.Header.Get("If-None-Match"), d.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", "application/json")
	writeBody(w, r, http.StatusOK, d.body)
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
