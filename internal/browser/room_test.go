package browser_test

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/static"
)

// roomEdge is a room's door: a line without a draw, whose shopper has number 50.
func roomEdge(t *testing.T, head int, refresh time.Duration) *edge {
	e := opening(t, 50, -time.Hour)
	e.page, e.view = static.Waiting, static.View{
		Sale: "toy", Room: true, Title: "The shop", ProductPage: "/shop", Refresh: refresh,
		Number: 50, HasNumber: true, Place: 50, HasPlace: true, Ahead: 10, Low: time.Second, High: 10 * time.Second,
	}
	e.status = fields{
		"sale": "toy", "title": "The shop", "state": "open", "armed": true, "active": 0,
		"entered": 60, "head": head, "rate": 2, "flow": 0, "message": "",
	}
	return e
}

func (e *edge) room() string { return e.URL + "/shop/deep?link=kept" }

// TestTurnInRoom: a room has no draw, and its page comes anew under its own
// address, with all that is in it.
func TestTurnInRoom(t *testing.T) {
	t.Parallel()
	e := roomEdge(t, 45, time.Minute)
	w := open(t, e.room())
	w.Shows("document.getElementById('ahead').textContent", "5")
	w.Shows("document.getElementById('proof')", "null")
	e.become(static.Turn) // any other
	e.tell(fields{"head": 51})
	e.seen(w)
	w.Shows(page, "turn")
	w.Shows("location.href", "/shop/deep?link=kept")
	if n := e.questions("me"); n != 0 {
		t.Errorf("me was asked %d times, want none: to open the page is to claim", n)
	}
}

// TestCookiesInRoom: the first page of a room soon goes by way of the line, which
// sees whether cookies are kept, and not only once the turn has come.
func TestCookiesInRoom(t *testing.T) {
	t.Parallel()
	e := roomEdge(t, 0, time.Second)
	e.view.RenewAt = "/shop/deep?by=the-line"
	w := open(t, e.room())
	w.Shows("location.search", "by=the-line")
	if n := e.questions("me"); n != 0 {
		t.Errorf("me was asked %d times, want none", n)
	}
}

// TestAttemptsAreForgotten: a page that the status confirms was not come to in
// vain, so earlier attempts do not make the next one wait.
func TestAttemptsAreForgotten(t *testing.T) {
	t.Parallel()
	e := roomEdge(t, 0, time.Minute)
	w := open(t, e.room())
	const attempts = "sessionStorage.getItem('waitroom toy')"
	w.Says(`sessionStorage.setItem('waitroom toy', '{"reason":"waiting called","times":5}')`)
	e.seen(w)
	w.Shows(attempts, "null")
}

// TestRefusedInRoom: a page whose turn has come and that finds no seat comes
// back as soon as it was told, and no sooner.
func TestRefusedInRoom(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		refresh time.Duration
		most    time.Duration // from one try to the next
	}{
		{"soon", time.Second, 6 * time.Second},
		{"when a seat is expected", 5 * time.Second, 12 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := roomEdge(t, 51, test.refresh)
			w := open(t, e.room())
			w.Shows("performance.timeOrigin > 0", "true")
			const tries = 5
			loaded := e.loads(tries, tries*test.most)
			for i := 2; i < len(loaded); i++ { // the first may have been an edge that was behind
				if gap := loaded[i].Sub(loaded[i-1]); gap < test.refresh || gap > test.most {
					t.Errorf("try %d came %v after the one before, want %v to %v", i, gap, test.refresh, test.most)
				}
			}
			if len(loaded) < tries {
				t.Errorf("it came %d times in %v, want %d", len(loaded), tries*test.most, tries)
			}
		})
	}
}

// loads waits until the page was loaded n times, and gives when.
func (e *edge) loads(n int, patience time.Duration) []time.Time {
	limit := time.Now().Add(patience)
	for {
		e.mu.Lock()
		loaded := e.loaded
		e.mu.Unlock()
		if len(loaded) >= n || time.Now().After(limit) {
			return loaded
		}
		<-time.After(100 * time.Millisecond)
	}
}

// TestWaitInRoom: the time that is told goes by the flow of late, a third faster
// and slower, once it was measured; the rate promises nothing where seats bind,
// and the flow nothing that the rate of now does not give.
func TestWaitInRoom(t *testing.T) {
	t.Parallel()
	e := roomEdge(t, 0, time.Minute)
	e.tell(fields{"head": 10, "rate": 100, "flow": 0.1})
	w := open(t, e.room())
	w.Shows("document.getElementById('ahead').textContent", "40")
	w.Shows("document.getElementById('wait').textContent", "5 to 11 minutes") // 40/0.1333 s, 41/0.0667 s
	e.tell(fields{"flow": 0})
	e.seen(w)
	w.Shows("document.getElementById('wait').textContent", "less than a minute")
	e.tell(fields{"flow": 4, "rate": 0.1}) // the rate was cut
	e.seen(w)
	w.Shows("document.getElementById('wait').textContent", "6 to 7 minutes") // 40/0.1 s, 41/0.1 s; the flow is of before
	e.tell(fields{"rate": 100})

	e.tell(fields{"state": "paused"})
	e.seen(w)
	w.Shows(heading, "The line takes a short break")
	e.tell(fields{"state": "open", "flow": 0.1})
	e.seen(w)
	w.Shows("document.getElementById('wait').textContent", "5 to 11 minutes")
	w.Shows(words, "the page you asked for opens here by itself")
	if n := e.questions("me"); n != 0 {
		t.Errorf("me was asked %d times, want none", n)
	}
}
