package configs

import (
	"fmt"
	"strings"
	"time"
)

// collisions are the faults between sales and rooms: names that are used twice,
// two sales that want the same path at the same time, and two rooms before the
// same path. The later file is to blame, of a sale and a room the room's.
func collisions(sales []Sale, rooms []Room) Faults {
	var faults Faults
	for i := range sales {
		for j := range i {
			faults = append(faults, collide(&sales[j], &sales[i])...)
		}
	}
	for i := range rooms {
		for j := range sales {
			faults = append(faults, sameName(sales[j].ID, rooms[i].ID, sales[j].src, rooms[i].src)...)
		}
		for j := range i {
			faults = append(faults, collideRooms(&rooms[j], &rooms[i])...)
		}
	}
	return faults
}

// sameName is the fault of a name that two files use.
func sameName(first, second string, before, after *document) Faults {
	if first != second || first == "" {
		return nil
	}
	wrong := fmt.Sprintf("%q is also the sale of %s:%d", second, before.name, before.places["sale"].line)
	return Faults{after.fault("sale", wrong, "give each its own name, as "+second+"-2")}
}

// collideRooms: one inside another is fine, for the longer path wins.
func collideRooms(first, second *Room) Faults {
	faults := sameName(first.ID, second.ID, first.src, second.src)
	if first.Path != "" && second.Path != "" && samePath(first.Path, second.Path) {
		wrong := fmt.Sprintf("%s has room %q of %s before it", second.Path, first.ID, first.File)
		faults = append(faults, second.src.fault("room", wrong, "keep one of them"))
	}
	return faults
}

func collide(first, second *Sale) Faults {
	blame := func(key, wrong, right string) Faults {
		return Faults{second.src.fault(key, wrong, right)}
	}
	if faults := sameName(first.ID, second.ID, first.src, second.src); faults != nil {
		return faults
	}
	if first.Key == "" || second.Key == "" || !overlap(first, second) {
		return nil
	}
	const right = "move one in time or to another path"
	var faults Faults
	if samePath(first.Buy.Path, second.Buy.Path) {
		faults = append(faults, blame("buy", fmt.Sprintf("%s buys in sale %q of %s at the same time", first.Buy, first.ID, first.File), right)...)
	}
	if samePath(first.Product, second.Product) {
		faults = append(faults, blame("product_page", fmt.Sprintf("%s is the page of sale %q of %s at the same time", first.Product, first.ID, first.File), right)...)
	}
	return faults
}

// samePath reports whether requests for two paths are taken for the same: neither
// case nor a slash at the end tells paths apart, nor does the method of a buy.
func samePath(a, b string) bool {
	return strings.EqualFold(strings.TrimRight(a, "/"), strings.TrimRight(b, "/"))
}

// overlap reports whether two sales are ever between doors and closes at once.
// Of a repeating one, eight days of runs tell it all but for clock changes.
func overlap(a, b *Sale) bool {
	if a.Repeat == "" {
		a, b = b, a
	}
	run := *b
	until := run.Closes
	if b.Repeat != "" {
		until = run.Doors.Add(8 * 24 * time.Hour)
	}
	for {
		if meets(a, &run) {
			return true
		}
		if b.Repeat == "" {
			return false
		}
		if run = b.runAt(run.Over()); run.Doors.After(until) {
			return false
		}
	}
}

// meets reports whether any run of a overlaps one run.
func meets(a, run *Sale) bool {
	for x := a.runAt(run.Doors); x.Doors.Before(run.Closes); x = a.runAt(x.Over()) {
		if x.Closes.After(run.Doors) {
			return true
		}
		if a.Repeat == "" {
			return false
		}
	}
	return false
}
