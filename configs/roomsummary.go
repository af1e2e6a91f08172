package configs

import (
	"fmt"
	"strings"
)

// Summary says in plain words what a room will do.
func (r *Room) Summary() string {
	var b strings.Builder
	say := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "  %-8s %s\n", label, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "%s (%s): a room, always open\n", r.Title, r.ID)
	say("before", "%s", r.covers())
	if len(r.Except) > 0 {
		say("except", "%s: with everything under, never queued", strings.Join(r.Except, ", "))
	}
	say("line", "forms above %s, %s at once%s; it then moves at that rate, and goes away by itself", r.Admit.spoken("new shopper"), thousands(r.Burst), r.bound())
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
