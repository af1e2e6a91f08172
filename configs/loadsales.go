package configs

import (
	"crypto/sha256"
	"slices"
	"time"
)

// LoadSales reads the sales and rooms that a file names, as Load does, or those of one of
// marketing's files itself, and of an operator's file nothing else: who plans sales has no
// secrets. What is in order is given beside the [Faults] of what is not.
func LoadSales(file string, now time.Time) ([]Sale, []Room, error) {
	if IsSaleFile(file) {
		sale, room, err := LoadSaleFile(file, now)
		switch {
		case err != nil:
			return nil, nil, err
		case room != nil:
			return nil, []Room{*room}, nil
		}
		return []Sale{*sale}, nil, nil
	}
	d, root := openDocument(file, nil, keysOf(operatorRules()))
	if root == nil {
		return nil, nil, d.finish().err()
	}
	o := operator{Config: *defaultConfig(file)}
	o.src = d
	sales := under(root, "sales")
	if sales == nil {
		d.blameFile("names no sales", `list their files, as sales: ["sales/*.yaml"]`)
		return nil, nil, d.finish().err()
	}
	o.globs = value{doc: d, key: "sales", node: sales}.list(`["sales/*.yaml"]`)
	faults := readSales(&o, sha256.New(), now)
	whole := slices.DeleteFunc(o.Sales, func(s Sale) bool { return s.Key == "" })
	inOrder(whole)
	return whole, o.Rooms, append(d.finish(), faults...).err()
}

// LoadPlan reads of an operator's file what shoppers see: the brand, the languages, what is
// asked at the door, but for what a check is, and the sales and rooms with what they inherit. It needs no secrets; the other keys have their
// defaults. The error is a [Faults] with all that is wrong with these.
func LoadPlan(file string, now time.Time) (*Config, error) {
	rules := operatorRules()
	nothing := func(string) (string, bool) { return "", false }
	d, root := openDocument(file, nothing, keysOf(rules))
	if root == nil {
		return nil, d.finish().err()
	}
	o := operator{Config: *defaultConfig(file)}
	o.src = d
	for i, r := range rules {
		switch r.key {
		case "brand", "languages", "sales":
		case "bots":
			rules[i] = orOff(group("bots", func(o *operator) *Bots { return &o.Bots }, shownBots()), func(*operator) {})
		default:
			rules[i].right, rules[i].read = "", func(*operator, value) {}
		}
	}
	decode(value{doc: d, node: root}, &o, rules)
	faults := readSales(&o, sha256.New(), now)
	o.bequeath()
	if faults = append(d.finish(), faults...); len(faults) > 0 {
		return nil, faults
	}
	return &o.Config, nil
}

// shownBots are the rules of what is asked at the door, of a check that there is one alone:
// it has a secret.
func shownBots() []rule[Bots] {
	rules := botsRules()
	for i, r := range rules {
		if r.key == "check" {
			rules[i].right, rules[i].read = "", func(b *Bots, _ value) { b.Check = &Check{} }
		}
	}
	return rules
}

// Collisions are the faults between sales and rooms, of which each is right by itself: names
// that are used twice, and paths that two want at the same time. The later one is to blame.
func Collisions(sales []Sale, rooms []Room) Faults { return collisions(sales, rooms) }
