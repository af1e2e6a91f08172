package proxy_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
)

// TestReloadRemembers: an edge whose Redis is away, and whose files change
// meanwhile, puts back what it knew when an empty Redis returns.
func TestReloadRemembers(t *testing.T) {
	t.Parallel()
	mini := testserver.Mini(t)
	s := play(t, plot{redis: testserver.MiniURL(mini), room: narrowRoom, shop: inShop,
		doors: -time.Minute, opens: time.Hour, closes: 2 * time.Hour})
	_, waits := s.crowded()
	entered := []*browser{s.browser(), s.browser(), s.browser()}
	for _, b := range entered {
		b.join().code(t, "join", http.StatusCreated)
	}
	s.until("three entries", func() bool { return s.status().field("entered") == "3" })
	number := waits.room(http.MethodGet, "me", "Sec-Fetch-Mode", "cors").field("number")
	before := s.status()

	mini.Close()
	s.reload(func(c *configs.Config) { c.Sales[0].Title, c.Rooms[0].Title = "Silver toy", "The hall" })
	mini.FlushAll()
	if err := mini.Restart(); err != nil {
		t.Fatal(err)
	}
	s.until("a new picture", func() bool {
		now := s.status()
		return now.field("now") > before.field("now") && now.field("title") == "Silver toy" && mini.Exists("wr:{line:golden-toy}")
	})
	after := s.status()
	if n, err := strconv.Atoi(after.field("entered")); err != nil || n < 3 || after.field("commitment") != before.field("commitment") {
		t.Errorf("after the loss %s, want the commitment of %s and its entries", after.body, before.body)
	}
	for i, b := range entered {
		if me := b.own(http.MethodGet, "me"); me.field("state") != "lottery" || me.field("number") == "" {
			t.Errorf("ticket %d: me is %s", i, me.body)
		}
	}
	s.browser().join().code(t, "join", http.StatusCreated)
	s.until("the room's line is back", func() bool { return mini.Exists("wr:{line:room:shop}") })
	if me := waits.room(http.MethodGet, "me", "Sec-Fetch-Mode", "cors"); me.field("number") != number {
		t.Errorf("in the room number %s is void: me is %s", number, me.body)
	}
}
