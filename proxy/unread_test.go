package proxy_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// TestUnread: a stream whose small body comes behind its head is not reset, whatever it
// is answered and though nobody wants the body; nobody waits for a large one, nor for
// one that does not come.
func TestUnread(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: "bots: {proof: true, suspicious: refuse}", doors: -time.Minute, opens: time.Hour, closes: 2 * time.Hour})
	b := s.browser()
	b.shows(b.asks()).code(t, "a ticket", http.StatusCreated)
	ticket := ticketCookie + "=" + b.cookie(ticketCookie)
	const own = "/.waitroom/golden-toy/"
	for _, test := range []struct {
		name, method, path, length, body string
		status                           string
		comes                            bool // the body does
		resets                           int
	}{
		{"a ticket that one has", "POST", own + "ticket", "16", "challenge=abcdef", "200", true, 0},
		{"a body of no known length", "POST", own + "ticket", "", "challenge=abcdef", "200", true, 0},
		{"a method that is not taken", "POST", own + "me", "2", "{}", "405", true, 0},
		{"nothing of ours", "POST", "/.waitroom/silver-toy/ticket", "2", "{}", "404", true, 0},
		{"a large body", "POST", own + "ticket", "1048576", "", "200", false, 1},
		{"a body that does not come", "POST", own + "ticket", "16", "", "200", false, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := s.wire(t)
			const streams = 10
			for i := range uint32(streams) {
				stream := 2*i + 1
				fields := asked(":authority", host, ":method", test.method, ":path", test.path, "cookie", ticket, "content-type", "application/x-www-form-urlencoded")
				if test.length != "" {
					fields = append(fields, "content-length", test.length)
				}
				w.sent(w.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: w.head(fields...), EndHeaders: true}))
				if test.comes {
					time.Sleep(5 * time.Millisecond) // as it does over a network
					w.sent(w.WriteData(stream, true, []byte(test.body)))
				}
			}
			w.sent(w.WritePing(false, [8]byte{}))
			got, resets, ended := 0, 0, 0
			for got < streams || ended+resets < streams {
				f, err := w.ReadFrame()
				if err != nil {
					t.Fatalf("%d answered, %d ended, %d reset: %v", got, ended, resets, err)
				}
				switch f := f.(type) {
				case *http2.MetaHeadersFrame:
					if status := f.PseudoValue("status"); status != test.status {
						t.Errorf("answered %s, want %s", status, test.status)
					}
					got++
				case *http2.DataFrame:
					if f.StreamEnded() && test.resets == 0 {
						ended++
					}
				case *http2.RSTStreamFrame:
					resets++
				}
			}
			// What would be reset is so right behind its answer.
			_ = w.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
			for {
				f, err := w.ReadFrame()
				if err != nil {
					break
				}
				if _, ok := f.(*http2.RSTStreamFrame); ok {
					resets++
				}
			}
			if want := test.resets * streams; resets != want {
				t.Errorf("%d of %d streams were reset, want %d", resets, streams, want)
			}
		})
	}
	if strings.Contains(s.log.text(), "panic") {
		t.Error("something panicked")
	}
}
