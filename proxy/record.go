package proxy

import (
	"net/http"
	"time"

	"go.uber.org/zap"
)

const maxLogged = 200 // bytes of what a client chose

// record is the one access record of a request. Handlers further in say what
// was decided and why; the outermost writes it once.
type record struct {
	begun    time.Time
	decision string
	reason   string // why, where the decision does not say
	sale     string
	err      error
	house    *house        // nil: it is not known yet
	q        *question     // nil as long
	past     func()        // says that line and gate are not asked any more, see asking
	fields   [10]zap.Field // of its line
	unread   bool          // nothing is read of the body before an answer: it is passed on, or there is no time
}

// end sends an answer and notes what it was.
func (rec *record) end(w http.ResponseWriter, r *http.Request, a answer) {
	rec.decision, rec.reason = a.decision, a.reason
	if !rec.unread {
		readRest(w, r)
	}
	rec.house.dress(&a)
	a.send(w, rec.q, rec.house)
}

// dress gives the page of an answer that is about no sale the languages and the look of
// the shop.
func (h *house) dress(a *answer) {
	if a.view.Sale == "" {
		a.view.Offered = h.offered
	}
	if a.view.Brand == nil { // a sale without one is of a shop without one
		a.view.Brand = h.brands.House
	}
}

// is notes a decision that is sent otherwise than by end.
func (rec *record) is(decision, reason string) { rec.decision, rec.reason = decision, reason }

// gone notes a client that left before it was answered. The status is for the
// record; there is nobody to read it.
func (rec *record) gone(w http.ResponseWriter) {
	rec.decision = "client_gone"
	w.WriteHeader(statusGone)
}

// sent is what is noted of how a request was answered.
type sent struct {
	method, path, proto string // as they came
	status              int
	bytes               int64 // of the body
}

// write logs the record. Nothing in it identifies a shopper's ticket, account
// or query; the path is cut, and the encoder escapes it.
func (rec *record) write(log *zap.Logger, s sent) {
	line := log.Check(zap.InfoLevel, "request")
	if line == nil {
		return
	}
	fields := append(rec.fields[:0],
		zap.String("method", knownMethod(s.method)),
		zap.String("path", cut(s.path)),
		zap.String("proto", s.proto),
		zap.Int("status", s.status),
		zap.Int64("bytes", s.bytes),
		zap.Duration("took", time.Since(rec.begun)),
		zap.String("decision", rec.decision),
	)
	if rec.reason != "" {
		fields = append(fields, zap.String("reason", rec.reason))
	}
	if rec.sale != "" {
		fields = append(fields, zap.String("sale", rec.sale))
	}
	if rec.err != nil {
		fields = append(fields, zap.Error(rec.err))
	}
	line.Write(fields...)
}

// cut bounds a text that a client chose.
func cut(s string) string { return s[:min(len(s), maxLogged)] }

// knownMethod bounds what a client can write into logs and labels.
func knownMethod(m string) string {
	for _, known := range [...]string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace,
	} {
		if m == known {
			return known // not what came, which may last no longer than the request
		}
	}
	return "other"
}
