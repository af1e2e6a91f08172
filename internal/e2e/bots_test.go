package e2e_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestProveInChromium: a press on the product page, the page that asks, the line, the turn and
// the buy, in a browser that knows nothing of it.
func TestProveInChromium(t *testing.T) {
	t.Parallel()
	f := openFrontOf(t, operator{bots: "{proof: true, least_time: 1s, suspicious: refuse}"})
	w := f.open(t, "/toys/golden")
	w.Says("void document.querySelector('form').submit()")
	w.Shows(heading, "It is your turn")
	w.Says("void document.querySelector('#buy button').click()")
	w.Shows(heading, "You got one")

	c := f.client(true)
	r := f.send(c, http.MethodPost, "/.waitroom/golden-toy/ticket", "", "Accept", "application/json")
	if r.StatusCode != http.StatusForbidden || !strings.Contains(r.body, "no_challenge") {
		t.Errorf("a script that shows nothing: %d %s, want 403", r.StatusCode, r.body)
	}
}
