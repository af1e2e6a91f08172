package shop

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/coder/websocket"
)

// events is one event each period, as [Event] reads it, until the count is
// reached: ?n=10&every=1s.
func (s *Shop) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	tell(w, r, "text/event-stream", "id: %d\ndata: %d\n\n")
}

// lines is the same as JSON lines.
func (s *Shop) lines(w http.ResponseWriter, r *http.Request) {
	tell(w, r, "application/x-ndjson", `{"id":%d,"sent":%d}`+"\n")
}

// tell writes a number and the instant, in Unix nanoseconds, each period; before
// the first one is over there is the head of an answer and no more.
func tell(w http.ResponseWriter, r *http.Request, kind, form string) {
	n, err := strconv.Atoi(r.FormValue("n"))
	every, err2 := time.ParseDuration(r.FormValue("every"))
	if err != nil || err2 != nil {
		http.Error(w, "say n and every", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", kind)
	if err := http.NewResponseController(w).Flush(); err != nil {
		return
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for i := range n {
		select {
		case <-ticker.C:
		case <-r.Context().Done():
			return
		}
		if _, err := fmt.Fprintf(w, form, i, time.Now().UnixNano()); err != nil {
			return
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			return
		}
	}
}

// chat says over a WebSocket whatever it is told. It takes nobody who comes from
// a page of another host.
func (s *Shop) chat(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // it has answered
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(1 << 20)
	for {
		kind, word, err := conn.Read(r.Context())
		if err != nil {
			return
		}
		if err := conn.Write(r.Context(), kind, word); err != nil {
			return
		}
	}
}
