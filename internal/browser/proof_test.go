package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/waitroom/waitroom/static"
)

// unfold opens "check my place" as a keyboard does.
func (w *window) unfold() {
	w.t.Helper()
	w.Do(chromedp.Focus("#proof summary"), chromedp.KeyEvent(" "))
}

const verdict = "document.getElementById('proof-verdict').textContent"

// TestProof: a page that was there before the draw can show that everything
// fits, and goes on to when the network is gone.
func TestProof(t *testing.T) {
	t.Parallel()
	e := opening(t, 4, 3*time.Second)
	w := open(t, e.line())
	w.Shows("document.getElementById('proof').hidden", "true")
	w.Shows("Object.values(sessionStorage).join()", seal)
	e.untilOpen()
	place := e.draw(fields{"head": 100})
	w.Shows(page, "near")
	w.unfold()
	w.Shows(verdict, "Everything fits.")
	e.Close()
	w.Says("document.getElementById('proof').open = false")
	w.unfold()
	w.Shows(said, "Everything fits.")
	got := w.Says(words)
	for _, want := range []string{
		"Before the draw, this browser was shown a seal. It is the SHA-256 hash of a secret that nobody could see yet:\n" + seal + "\n",
		"so the secret was not changed in between:\n" + seed + "\n",
		"People in the draw when it closed: 1,000.",
		fmt.Sprintf("with your number 4, was computed again here and gives place %d.", place),
		fmt.Sprintf("Of all places, 100 were called so far. That leaves %d people ahead of you.", place-100),
		"curl -s " + e.URL + "/.waitroom/toy/status | waitroom verify --number 4",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not say %q:\n%s", want, got)
		}
	}
}

// TestProofSaysWhatItCannotTell and what does not fit.
func TestProofSaysWhatItCannotTell(t *testing.T) {
	t.Parallel()
	mixed := "8c0e…, as it turned out"
	for _, test := range []struct {
		name          string
		kept          string // the seal that this browser saw
		number        uint64
		say           fields
		verdict, text string
	}{
		{"not there before", "", 4, nil, "this browser cannot tell", "Its SHA-256 hash is the seal that is shown now:"},
		{"another seal", strings.Repeat("0", 64), 4, nil, "Something does not fit.", "That does not belong to the seal"},
		{"not even the seal shown now", "", 4, fields{"commitment": strings.Repeat("1", 64)}, "Something does not fit.", "That does not belong to the seal"},
		{"with a public value", seal, 4, fields{"mix": "drand round 7", "mixed": mixed}, "Everything fits.", "It turned out to be:\n" + mixed + "\n"},
		{"after the draw", seal, 1500, nil, "Everything fits.", "You entered after the draw, so your place is your number, 1,500,"},
		{"a sale that repeats", seal, 4, fields{"run": "toy@2026-11-26"}, "Everything fits.", "gives place "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := opening(t, test.number, -time.Minute)
			e.draw(test.say)
			w := open(t, e.line())
			if test.kept != "" {
				run := "toy"
				if test.say["run"] != nil {
					run = test.say["run"].(string)
				}
				w.Says(fmt.Sprintf("sessionStorage.setItem('waitroom seal %s %d', '%s')", run, e.status["opens"], test.kept))
			}
			w.Shows(page, "waiting")
			w.unfold()
			w.Shows(verdict, test.verdict)
			w.Shows(words, test.text)
		})
	}
}

// TestProofAtOnce: who unfolds it before anything was told is not left before
// nothing, and is told at once. The command is whole from the beginning.
func TestProofAtOnce(t *testing.T) {
	t.Parallel()
	e := opening(t, 4, -time.Minute)
	e.draw(nil)
	e.become(static.Waiting)
	e.hold()
	w := open(t, e.line())
	w.Shows("document.getElementById('proof-command').textContent", "curl -s "+e.URL+"/.waitroom/toy/status | waitroom verify --number 4")
	w.Says("document.querySelector('#proof summary').click()")
	w.Shows(verdict, "One moment")
	if n := len(w.Says("document.getElementById('proof-steps').textContent")); n != 0 {
		t.Errorf("%d letters of steps before anything is known", n)
	}
	e.release()
	w.Shows(verdict, "The place fits.")
	w.Shows("getComputedStyle(document.querySelector('#proof-steps code')).display", "block")
	w.Shows("document.querySelector('#proof a').rel", "noreferrer")
	if strings.Contains(w.Says(words), "was not changed in between") {
		t.Error("the page vouches for a seal that it did not see before the draw")
	}
}
