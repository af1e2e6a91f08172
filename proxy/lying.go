package proxy

import (
	"net/http"

	"github.com/waitroom/waitroom/proxy/express"
)

// lying is an answer that says the same to many and lies ready as it goes out. It never
// changes.
type lying struct {
	express.Answer
	fields []field
}

// field is one of an answer, with its name in the canonical form.
type field struct{ name, value string }

// lay makes one.
func lay(status int, body []byte, fields ...field) *lying {
	l := &lying{fields: fields}
	l.Status, l.Body = status, body
	one, two := head{}, head{http2: true}
	for _, h := range []*head{&one, &two} {
		h.begin(status)
		for _, f := range fields {
			h.add(f.name, f.value)
			l.Dated = l.Dated || f.name == "Date"
		}
		if bodyAllowed(status) {
			h.length(len(body))
		}
	}
	l.Head1, l.Head2 = one.bytes, two.bytes
	return l
}

// bodyAllowed reports whether an answer has one, if only one that is empty (RFC 9110,
// 15.3.5 and 15.4.5).
func bodyAllowed(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// send gives it by way of a server of net/http.
func (l *lying) send(w http.ResponseWriter, q *question) {
	h := head{header: w.Header()}
	for _, f := range l.fields {
		h.add(f.name, f.value)
	}
	if !bodyAllowed(l.Status) {
		w.WriteHeader(l.Status)
		return
	}
	writeBody(w, q, l.Status, l.Body)
}
