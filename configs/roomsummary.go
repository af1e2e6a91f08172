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
	fmt.Fprintf(&b, "%s (%s): a room, always open; a line forms when more come than it lets in\n", r.Title, r.ID)
	say("before", "%s", r.covers())
	if len(r.Except) > 0 {
		say("except", "%s: with everything under, never queued", strings.Join(r.Except, ", "))
	}
	say("lets in", "%s, %s at the same moment at most%s; a line moves at that pace, and goes away by itself", r.Admit.spoken("new shopper"), thousands(r.Burst), r.bound())
	say("stay", "%s from the %s click on; the shop may end it before", spoken(r.PassLife), r.from())
	if look := look(r.Brand, r.Languages); look != "" {
		say("look", "%s", look)
	}
	say("waiting", "who waits sees so under the page's own address (status %d), and comes in there", r.WaitingStatus)
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
	return ", and no more than " + thousands(r.MaxActive) + " inside"
}

func (r *Room) from() string {
	if r.Sliding {
		return "last"
	}
	return "first"
}
