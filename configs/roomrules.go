package configs

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxActive   = 100_000_000
	maxExcept   = 100
	minPassLife = 10 * time.Second // time enough to show it once more
	maxPassLife = 24 * time.Hour
)

// roomRules are the keys of a sale file that describes a room.
func roomRules() []rule[Room] {
	return append([]rule[Room]{
		must("sale", "name it, as sale: whole-shop", saleName, func(r *Room) *string { return &r.ID }),
		must("title", "write what shoppers read, as title: The shop", phrase(200), func(r *Room) *string { return &r.Title }),
		other("timezone", zoneName.shape, func(_ *Room, v value) { read(v, zone) }), // nothing in a room has an hour
		must("room", "write the path that it stands before, as /shop, or / for the whole shop", pathname, func(r *Room) *string { return &r.Path }),
		other("except", listOf(pathname.shape), func(r *Room, v value) { r.Except = exceptions(r.Path, v) }),
		must("admit", "write how many may come in, as admit: 100/s", speed(minRate, maxRate), func(r *Room) *Rate { return &r.Admit }),
		may("burst", number(1, maxBurst), func(r *Room) *int { return &r.Burst }),
		may("max_active", number(1, maxActive), func(r *Room) *int { return &r.MaxActive }),
		other("pass_life", lifeShape, func(r *Room, v value) {
			life := read(v, passLife)
			r.PassLife, r.Sliding = life.span, life.sliding
		}),
		may("waiting_status", status(), func(r *Room) *int { return &r.WaitingStatus }),
	}, branded(func(r *Room) **Brand { return &r.Brand }, func(r *Room) *[]string { return &r.Languages })...)
}

var lifeShape = shape{Type: "string", Pattern: `^([0-9]+h)?([0-9]+m)?([0-9]+s)?( +(sliding|fixed))?$`, MinLength: 2,
	ErrorMessage: "write one as 20m sliding or 20m fixed", Default: "20m sliding"}

// exceptions reads the paths of a room that never queue. The room may be faulty
// itself, and have none.
func exceptions(room string, v value) []string {
	const example = "[/static, /assets]"
	items := v.list(example)
	switch n := len(items); {
	case n == 0 && kind(v.node) == "a list":
		v.fault(complain("an empty list").advise("write one as " + example + ", or leave it out"))
	case n > maxExcept:
		v.fault(complain("%d paths", n).advise(fmt.Sprintf("at most %d", maxExcept)))
	}
	var all []string
	for _, item := range items {
		path := read(item, sitePath)
		switch {
		case path == "": // a fault already
		case room != "" && samePath(path, room):
			item.fault(complain("%q is the room itself", path).advise("name a path under it"))
		case room != "" && !beneath(path, room):
			item.fault(complain("%q is not under %s", path, room).advise("leave it out: it does not queue there"))
		case slices.ContainsFunc(all, func(other string) bool { return beneath(path, other) }):
			item.fault(complain("%q is excepted already", path).advise("write each once"))
		default:
			all = append(all, path)
		}
	}
	return all
}

// beneath reports whether a path is another or under it, by whole segments. Case does
// not tell paths apart.
func beneath(path, other string) bool {
	path, other = strings.ToLower(path), strings.TrimRight(strings.ToLower(other), "/")
	return strings.HasPrefix(strings.TrimRight(path, "/")+"/", other+"/")
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
	if long == "sliding" || long == "fixed" {
		return lasting{}, complain("%q says no duration", text).advise("write 20m " + long)
	}
	if said && way != "sliding" && way != "fixed" {
		return lasting{}, complain("%q is not understood", text).advise("write one as 20m sliding or 20m fixed")
	}
	d, c := span(minPassLife, maxPassLife)(long)
	return lasting{d, way != "fixed"}, c
}

var waitingStatuses = []int{http.StatusOK, http.StatusTooManyRequests, http.StatusServiceUnavailable}

// waitingStatus reads the status code of the waiting page.
func waitingStatus(text string) (int, *complaint) {
	for _, status := range waitingStatuses {
		if text == strconv.Itoa(status) {
			return status, nil
		}
	}
	return 0, complain("%q is not known", text).advise("write 200, 429 or 503")
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
		"stock":                  "a room has no stock", "buckets": "a room has no stock",
	}[key]
	if why == "" {
		return whileRuns(key)
	}
	return complain("%s", why).advise("leave it out")
}

// whileRuns says of what is done while a sale or a room runs that no file has it.
func whileRuns(key string) *complaint {
	switch key {
	case "paused", "pause", "message":
		return complain("is no key: it is done while it runs").advise("leave it out, and ask who runs waitroom: it is one request to the admin API, see docs/operations.md")
	}
	return nil
}

// notOfSale says of a room's key that no sale has it.
func notOfSale(key string) *complaint {
	switch key {
	case "paused", "pause", "message":
		return whileRuns(key)
	case "except", "max_active", "pass_life", "waiting_status":
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
		r.Burst = r.Admit.RoomBurst()
	}
	return r
}
