package configs

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Room is a line before a path of the shop, without stock and always open:
// nobody waits in it until more come than it admits.
type Room struct {
	ID   string // its name in addresses and cookies, as a sale's and unlike any sale's
	Key  string // its name in every store, never a sale's
	File string

	Title string
	Path  string // it and everything under it; "/" is the whole shop

	Admit         Rate          // new shoppers before a line forms, and the speed of that line
	Burst         int           // tokens the bucket holds; default a second's worth, at least 1
	MaxActive     int           // shoppers inside at once; 0: no bound
	PassLife      time.Duration // how long a pass lets its shopper through
	Sliding       bool          // from the last request on, rather than from the first
	WaitingStatus int           // of the waiting page: 200, 429 or 503

	src *document // where its keys stand
}

// Same reports whether nothing about two readings of a room differs but where
// they were read.
func (r *Room) Same(other *Room) bool {
	a, b := *r, *other
	a.src, b.src = nil, nil
	return a == b
}

const (
	maxActive   = 100_000_000
	minPassLife = time.Second
	maxPassLife = 24 * time.Hour
)

func defaultRoom(file string) *Room {
	return &Room{File: file, PassLife: 20 * time.Minute, Sliding: true, WaitingStatus: http.StatusOK}
}

// roomRules are the keys of a sale file that describes a room.
func roomRules() []rule[Room] {
	return []rule[Room]{
		must("sale", "name it, as whole-shop", func(r *Room, v value) { r.ID = read(v, saleID) }),
		must("title", "write what shoppers read, as The shop", func(r *Room, v value) { r.Title = read(v, words(200)) }),
		may("timezone", func(_ *Room, v value) { read(v, zone) }), // nothing in a room has an hour
		must("room", "write the path that it stands before, as /shop, or / for the whole shop", func(r *Room, v value) { r.Path = read(v, sitePath) }),
		must("admit", "write how many may come in, as 100/s", func(r *Room, v value) { r.Admit = read(v, rate(Rate{1, time.Minute}, maxRate)) }),
		may("burst", func(r *Room, v value) { r.Burst = read(v, count(1, maxBurst)) }),
		may("max_active", func(r *Room, v value) { r.MaxActive = read(v, count(1, maxActive)) }),
		may("pass_life", func(r *Room, v value) {
			life := read(v, passLife)
			r.PassLife, r.Sliding = life.span, life.sliding
		}),
		may("waiting_status", func(r *Room, v value) { r.WaitingStatus = read(v, waitingStatus) }),
	}
}

// lasting is how long a pass lives, and from when on.
type lasting struct {
	span    time.Duration
	sliding bool
}

// passLife reads "20m sliding", "20m fixed", or "20m", which is sliding.
func passLife(text string) (lasting, *complaint) {
	long, way, said := strings.Cut(text, " ")
	way = strings.TrimLeft(way, " ")
	if said && way != "sliding" && way != "fixed" {
		return lasting{}, complain("%q is not understood", text).advise("write one as 20m sliding or 20m fixed")
	}
	d, c := span(minPassLife, maxPassLife)(long)
	return lasting{d, way != "fixed"}, c
}

// waitingStatus reads the status code of the waiting page.
func waitingStatus(text string) (int, *complaint) {
	status, ok := map[string]int{
		"200": http.StatusOK, "429": http.StatusTooManyRequests, "503": http.StatusServiceUnavailable,
	}[text]
	if !ok {
		return 0, complain("%q is not known", text).advise("write 200, 429 or 503")
	}
	return status, nil
}

// notOfRoom says of a sale's key why no room has it.
func notOfRoom(key string) *complaint {
	why := map[string]string{
		"doors": "a room is always open", "opens": "a room is always open", "closes": "a room is always open",
		"repeat":       "a room is always open",
		"product_page": "a room stands before all pages of its path",
		"buy":          "nothing is sold in a room", "checkout": "nothing is sold in a room", "per_account": "nothing is sold in a room",
		"hold": "nothing is sold in a room", "late_payment": "nothing is sold in a room",
		"invitations": "a room has no draw to stand before", "mix": "a room has no draw",
		"one_ticket_per_account": "a room takes everybody",
		"stock":                  "a room has no stock",
	}[key]
	if why == "" {
		return nil
	}
	return complain("%s", why).advise("leave it out")
}

// notOfSale says of a room's key that no sale has it.
func notOfSale(key string) *complaint {
	switch key {
	case "max_active", "pass_life", "waiting_status":
		return complain("only a room has it").advise(`leave it out, or write "room" with the path that it stands before`)
	}
	return nil
}

// decodeRoom reads the keys of a file that describes a room. The document has
// the faults.
func decodeRoom(root value) *Room {
	r := defaultRoom(root.doc.name)
	r.src = root.doc
	decode(root, r, roomRules())
	if len(root.doc.faults) > 0 {
		return r
	}
	r.Key = "room:" + r.ID
	if r.Burst == 0 {
		r.Burst = max(1, int(r.Admit.PerSecond()))
	}
	return r
}

// Summary says in plain words what a room will do.
func (r *Room) Summary() string {
	var b strings.Builder
	say := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "  %-8s %s\n", label, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "%s (%s): a room, always open\n", r.Title, r.ID)
	say("before", "%s", r.covers())
	say("line", "forms above %s%s; it then moves at that rate, and goes away by itself", r.level(), r.bound())
	say("pass", "%s from the %s request on; the origin may end it before", spoken(r.PassLife), r.from())
	say("waiting", "under the page's own address, with status %d", r.WaitingStatus)
	return b.String()
}

func (r *Room) covers() string {
	if strings.Trim(r.Path, "/") == "" {
		return "the whole shop, but for what belongs to a sale"
	}
	return strings.TrimRight(r.Path, "/") + " and everything under it, but for what belongs to a sale"
}

func (r *Room) level() string {
	unit, n := "second", r.Admit.PerSecond()
	if n < 1 {
		unit, n = "minute", n*60
	}
	return fmt.Sprintf("about %s a %s, %s at once", plural(int(n+0.5), "new shopper"), unit, thousands(r.Burst))
}

func (r *Room) bound() string {
	if r.MaxActive == 0 {
		return ""
	}
	return ", or with " + plural(r.MaxActive, "shopper") + " inside"
}

func (r *Room) from() string {
	if r.Sliding {
		return "last"
	}
	return "first"
}
