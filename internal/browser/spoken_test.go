package browser_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/waitroom/waitroom/static"
)

// TestSpokenSeldom: over sixty updates, in which the number ahead, the chance and the
// bar change each time, what is read aloud changes with milestones, and else every half
// minute at most; nothing takes the focus.
func TestSpokenSeldom(t *testing.T) {
	t.Parallel()
	const now, place = 1_795_000_000_000, 145 // of number 4 by the seed
	doc := fields{
		"sale": "toy", "title": "Golden toy", "state": "open", "now": now, "opens": now - 3_600_000, "closes": now + 3_600_000,
		"entered": 1000, "drawn": 1000, "commitment": seal, "seed": seed, "head": 0, "rate": 0.1, "stock_left": 100, "message": "",
	}
	view := static.View{
		Sale: "toy", Title: "Golden toy", Number: 4, HasNumber: true, Entered: 1000, Drawn: 1000, Place: place, HasPlace: true, Ahead: place,
		Refresh: time.Minute,
	}
	w := open(t, world(t, static.Waiting, view))
	w.Says(`window.spoken = [], document.querySelectorAll('[role=status], [role=alert], [aria-live]').forEach(region =>
		new MutationObserver(() => spoken.push([world.now, region.textContent])).observe(region, { childList: true, characterData: true, subtree: true }))`)
	for i := range 60 {
		w.Says(fmt.Sprintf("world.tell('status', %s, 5)", encode(t, encode(t, with(doc, fields{"now": now + 5000*i, "head": i})))))
	}
	w.Shows("document.getElementById('ahead').textContent", fmt.Sprint(place-59))
	var spoken [][2]any
	if err := json.Unmarshal([]byte(w.Says("JSON.stringify(spoken)")), &spoken); err != nil {
		t.Fatal(err)
	}
	// Five minutes: ten of them, and one milestone, which is that the number has two digits.
	if n := len(spoken); n < 5 || n > 12 {
		t.Errorf("%d changes were read aloud in five minutes, want 5 to 12: %v", n, spoken)
	}
	for i := 1; i < len(spoken); i++ {
		if gap := spoken[i][0].(float64) - spoken[i-1][0].(float64); gap < 30_000 && fmt.Sprint(spoken[i][1])[:2] != "99" {
			t.Errorf("%v was said %v ms after the one before", spoken[i][1], gap)
		}
	}
	w.Shows("document.activeElement.tagName", "BODY")
	w.Shows("scrollY", "0")
}
