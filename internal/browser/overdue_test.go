package browser_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

const mix = "drand round 7"

// told are the texts of a page that say where somebody stands.
const told = `[...document.querySelectorAll('h1, .lead, .figure:not([hidden]), dl div:not([hidden]), li')].map(x => x.innerText.trim()).join('\n')`

// TestDrawWaitsForItsValue: the lottery is closed and the value that was named
// has not come. Each is told what is true of them as soon as the status says so,
// whatever the countdown says, and the same when they load the page anew; and the
// draw is held with the value.
func TestDrawWaitsForItsValue(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		number uint64
		page   static.Page
		figure string
	}{
		{"in the draw", 7, static.Overdue, "1,000\npeople in the draw"},
		{"behind it", 1010, static.Late, "1,010\npeople ahead of you"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := opening(t, test.number, time.Hour)
			e.view.Mix = mix
			e.tell(fields{"mix": mix, "entered": 1020})
			w := open(t, e.line())
			w.Shows("document.getElementById('mix').textContent", mix)
			w.Shows(told, "nobody can aim for a place")
			e.tell(fields{"drawn": 1000})
			e.seen(w)
			w.Shows(page, string(test.page))
			w.Shows("document.querySelector('.figure').innerText", test.figure)
			w.Shows("document.getElementById('awaits').textContent", mix)
			live := w.Says(told)

			e.mu.Lock()
			e.page, e.view.Drawn, e.view.Overdue = test.page, 1000, true
			e.view.Entered, e.view.Opens = 1020, 0
			e.mu.Unlock()
			w.Says("void location.reload()")
			w.Shows("document.body.dataset.page + (performance.getEntriesByType('navigation')[0].type)", string(test.page)+"reload")
			if anew := w.Says(told); anew != live {
				t.Errorf("loaded anew, the page says\n%s\nwant, as it said\n%s", anew, live)
			}
			e.seen(w)
			w.Shows(page, string(test.page))
			if anew := w.Says(told); anew != live {
				t.Errorf("asked again, the page says\n%s\nwant, as it said\n%s", anew, live)
			}

			e.draw(fields{"mixed": "8c0e"})
			secret, err := queueing.ParseSeed(seed)
			if err != nil {
				t.Fatal(err)
			}
			e.seen(w)
			w.Shows(page, "waiting")
			place := queueing.NewDraw(secret, "toy", 1000, "8c0e").Place(test.number)
			w.Shows("document.getElementById('meter').max", fmt.Sprint(place))
			w.Shows("document.getElementById('meter').value", "0")
			if n := e.questions("me"); n != 0 {
				t.Errorf("me was asked %d times, want none", n)
			}
		})
	}
}

// TestInvitedWhileTheDrawWaits: the opening waits with the draw.
func TestInvitedWhileTheDrawWaits(t *testing.T) {
	t.Parallel()
	e := opening(t, 0, time.Hour)
	e.page, e.view.HasNumber, e.view.Mix = static.Invited, false, mix
	e.me = fields{"state": "lottery", "invited": true, "poll_after_ms": 1000}
	e.tell(fields{"mix": mix})
	w := open(t, e.line())
	w.Shows(told, "until the opening")
	e.tell(fields{"drawn": 1000})
	e.seen(w)
	w.Shows("document.querySelector('.figure').hidden", "true")
	w.Shows(page, "invited")
	w.Shows("document.getElementById('awaits').textContent", mix)
}
