package proxy_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
)

// copied is another browser with the pass of one.
func (s *stage) copied(b *browser) *browser {
	other := s.person()
	other.plant(roomPass, b.cookie(roomPass))
	return other
}

// removes checks that an answer takes the pass away and gives no other.
func (r reply) removes(t testing.TB, what, name string) {
	t.Helper()
	var said []string
	for _, c := range r.Cookies() {
		if c.Name == name {
			said = append(said, c.Raw)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], name+"=;") || !strings.Contains(said[0], "Max-Age=0") {
		t.Errorf("%s: sets %q, want the pass removed once", what, said)
	}
}

// TestRoomReleasedPass: a pass that the origin ended is none any more, on any edge,
// also a copy of it, and who shows it is as without one.
func TestRoomReleasedPass(t *testing.T) {
	t.Parallel()
	redis := testserver.Redis(t)
	one := play(t, plot{room: narrowRoom, shop: inShop, redis: redis})
	two := play(t, plot{room: narrowRoom, shop: inShop, redis: redis, stock: -1})
	in, waits := one.crowded()
	here, fetches, there := one.copied(in), one.copied(in), two.copied(in)
	in.get("/shop/bye").removes(t, "release", roomPass)
	waits.comeIn("/shop")

	r := here.get("/shop/x").isWaiting(t, "a copy", http.StatusOK)
	r.removes(t, "a copy", roomPass)
	if here.cookie(roomTicket) == "" {
		t.Error("a copy: no ticket for who stands in line now")
	}
	here.get("/shop/x").isWaiting(t, "again", http.StatusOK).noCookie(t, "again")
	one.until("the room is armed", func() bool { return waits.room(http.MethodGet, "status").field("armed") == "true" })
	r = fetches.get("/shop/api", "Sec-Fetch-Mode", "cors").code(t, "fetched with a copy", http.StatusTooManyRequests)
	r.removes(t, "fetched with a copy", roomPass)
	if r.field("state") != "none" || r.field("number") != "" {
		t.Errorf("fetched with a copy: %s", r.body)
	}
	two.until("the other edge knows", func() bool {
		return standsInLine(there.get("/shop/x").body)
	})
	if there.cookie(roomPass) != "" {
		t.Error("the other edge leaves the pass")
	}
	one.until("one is inside", func() bool { return waits.room(http.MethodGet, "status").field("active") == "1" })
	waits.get("/shop/x").code(t, "who came in instead", http.StatusOK)
}

// TestRoomReleaseMeetsRenewal: an answer that was to sign the pass anew, and comes
// when it was released meanwhile, does not give it back.
func TestRoomReleaseMeetsRenewal(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}), make(chan struct{})
	s := play(t, plot{room: wideRoom + "max_active: 5\n", shop: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/shop/slow" {
			close(asked)
			<-answer
		}
		inShop(w, r)
	}})
	s.reload(func(c *configs.Config) { c.Rooms[0].PassLife = 8 * time.Second })
	in := s.inside()
	first := in.cookie(roomPass)
	s.until("a renewal is due", func() bool { in.get("/shop/x"); return in.cookie(roomPass) != first })
	timer := time.NewTimer(2100 * time.Millisecond) // a quarter of its life
	<-timer.C
	slow, copies := s.copied(in), s.copied(in)
	answered := make(chan reply)
	go func() { answered <- slow.get("/shop/slow") }()
	<-asked
	in.get("/shop/bye").removes(t, "release", roomPass)
	close(answer)
	r := <-answered
	r.code(t, "the slow answer", http.StatusOK).removes(t, "the slow answer", roomPass)
	s.until("nobody is inside", func() bool { return in.room(http.MethodGet, "status").field("active") == "0" })
	before := copies.cookie(roomPass)
	if r := copies.get("/shop/x").code(t, "a copy", http.StatusOK); copies.cookie(roomPass) == before || !strings.HasPrefix(r.body, "shop: ") {
		t.Error("a copy lives on")
	}
}

// TestRoomReleasesAtOnce: who comes in and is said goodbye to with the same answer
// has neither seat nor pass.
func TestRoomReleasesAtOnce(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: narrowRoom, shop: inShop})
	p := s.person()
	s.until("first look at the room", func() bool { return p.room(http.MethodGet, "status").StatusCode == http.StatusOK })
	p.get("/shop/bye").code(t, "hello and goodbye", http.StatusOK)
	if p.cookie(roomPass)+p.cookie(roomTicket) != "" {
		t.Error("a pass for who was said goodbye to")
	}
	s.until("nobody is inside", func() bool { return p.room(http.MethodGet, "status").field("active") == "0" })
	s.person().comeIn("/shop")
}

// TestRoomSeatLastsOnceShown: who never shows the pass has the seat for a minute,
// who does for as long as the pass lives; also what never queues shows it.
func TestRoomSeatLastsOnceShown(t *testing.T) {
	t.Parallel()
	for name, show := range map[string]func(*browser){
		"never":       nil,
		"next page":   func(b *browser) { b.get("/shop/x") },
		"what it has": func(b *browser) { b.get("/shop/static/x.css", "Sec-Fetch-Mode", "no-cors") },
		"HEAD":        func(b *browser) { b.do(http.MethodHead, "/shop/x", "") },
		"our own":     func(b *browser) { b.room(http.MethodGet, "me", "Sec-Fetch-Mode", "cors") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, plot{room: narrowRoom + "except: [/shop/static]\n", shop: inShop})
			lasts := func() time.Duration {
				seats, err := s.rdb.ZRangeWithScores(context.Background(), "wr:{line:room:shop}:seats", 0, -1).Result()
				if err != nil || len(seats) != 1 {
					t.Fatalf("seats %v, %v", seats, err)
				}
				return time.Until(time.UnixMicro(int64(seats[0].Score)))
			}
			in := s.inside()
			if got := lasts(); got > time.Minute || got < time.Minute/2 {
				t.Errorf("at first the seat lasts for %v, want a minute", got)
			}
			if show != nil {
				show(in)
				s.until("a seat that lasts", func() bool { return lasts() > 19*time.Minute })
			}
		})
	}
}

// TestRoomTicketBringsInOne: a copied ticket brings in the same pass for nothing,
// also where nobody counts who is inside; once that was released it brings in none.
func TestRoomTicketBringsInOne(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: strings.Replace(wideRoom, "1000/s", "1/s", 1) + "burst: 1\n", shop: inShop})
	s.inside()
	waits := s.person()
	waits.get("/shop").isWaiting(t, "arrival", http.StatusOK)
	ticket, number := waits.cookie(roomTicket), func(b *browser) string {
		return b.room(http.MethodGet, "me", "Sec-Fetch-Mode", "cors").field("number")
	}
	own := number(waits)
	copies := []*browser{waits, s.person(), s.person(), s.person()}
	for _, b := range copies {
		b.plant(roomTicket, ticket)
		b.comeIn("/shop")
		if got := number(b); got != own {
			t.Errorf("a copy came in as number %s, want %s", got, own)
		}
	}
	s.shows(`waitroom_passes_total{sale="shop"} 2`)
	waits.get("/shop/bye")
	for _, b := range copies[1:] {
		b.get("/shop/x").removes(t, "a copy of the pass", roomPass)
	}
	late := s.person()
	late.plant(roomTicket, ticket)
	s.until("a number of its own", func() bool {
		late.get("/shop")
		n := number(late)
		return n != "" && n != own
	})
}
