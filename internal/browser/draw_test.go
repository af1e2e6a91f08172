package browser_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"
)

// TestDrawInBrowser: the page's own draw says of each vector what the server's
// does.
func TestDrawInBrowser(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("../../static/web/script/draw.js")
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := os.ReadFile("../../queueing/testdata/draw.json")
	if err != nil {
		t.Fatal(err)
	}
	w := open(t, opening(t, 1, time.Hour).line())
	wrong := w.Says(`(async function () {
` + string(script) + `
  let wrong = [], tried = 0;
  for (const v of ` + string(vectors) + `) {
    if (String(await sha256(fromHex(v.seed))) !== String(fromHex(v.commitment))) wrong.push('commitment of ' + v.seed);
    const draw = { seed: v.seed, sale: v.sale, count: +v.count, mixed: v.mixed || undefined };
    for (const number in v.places) {
      tried++;
      const place = await placeOf(draw, +number);
      if (String(place) !== v.places[number])
        wrong.push(number + ' of ' + v.count + ': ' + place + ', want ' + v.places[number]);
    }
  }
  return JSON.stringify({ tried, wrong });
})()`)
	var found struct {
		Tried int
		Wrong []string
	}
	if err := json.Unmarshal([]byte(wrong), &found); err != nil {
		t.Fatal(err)
	}
	if found.Tried < 50 {
		t.Errorf("%d places were computed, want all of the file", found.Tried)
	}
	for _, wrong := range found.Wrong {
		t.Error(wrong)
	}
}
