package browser_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

// sample is the function of docs/apps.md.
func sample(t *testing.T) string {
	t.Helper()
	doc, err := os.ReadFile("../../docs/apps.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(doc), "```js\n")
	code, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("docs/apps.md has no JavaScript")
	}
	return code
}

// TestSampleForApps: the function that the guide for apps gives away joins before the
// draw, waits, and buys once.
func TestSampleForApps(t *testing.T) {
	t.Parallel()
	s := announce(t, time.Hour/2)
	s.stock(1)
	s.start()
	address := strings.Replace(s.URL, "127.0.0.1", "localhost", 1) + "/.waitroom/toy/status"
	w := &window{chrome.Open(t, address, "502", "429"), t} // no shop that has an icon; no token at that moment
	w.Says("window.states = [], window.got = '', 1")
	w.Says("(() => {" + sample(t) + "getOne('', 'toy', '/toys/golden/buy', {qty: 1}, a => states.push(a.state)).then(a => { got = JSON.stringify(a) })\nreturn 1 })()")
	w.Shows("states.join()", "lottery")
	s.open()
	until(t, "an answer to the buy", func() bool { return w.Says("got") != "" })
	var got struct {
		Code                          int
		Status, Reservation, Checkout string
	}
	if err := json.Unmarshal([]byte(w.Says("got")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Code != 201 || got.Status != "reserved" || got.Checkout != "/checkout?reservation="+got.Reservation {
		t.Errorf("got %+v, want a unit and where to pay", got)
	}
	if states := w.Says("states.join()"); !strings.HasPrefix(states, "lottery") || !strings.HasSuffix(states, "called") {
		t.Errorf("told the states %s, want from the lottery to the turn", states)
	}
	presses := 0
	for _, path := range s.private() {
		if path == "POST /toys/golden/buy" {
			presses++
		}
	}
	if presses < 1 || presses > 5 {
		t.Errorf("pressed %d times, want once, or until there was a token", presses)
	}
}
