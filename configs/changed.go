package configs

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
)

// A digest tells what a key says from what it said before, and keeps no secret.
type digest [sha256.Size]byte

func digestOf(text string) digest { return sha256.Sum256([]byte(text)) }

// changed gives the keys that say something else in the next configuration, by their
// dotted path: of the operator's file first, and of each sale and room behind its
// name. One that is new or gone is named alone.
func (c *Config) changed(next *Config) []string {
	all := c.src.changed(next.src)
	was, is := c.documents(), next.documents()
	for _, name := range slices.Sorted(maps.Keys(merged(was, is))) {
		switch {
		case was[name] == nil:
			all = append(all, name+" (new)")
		case is[name] == nil:
			all = append(all, name+" (gone)")
		default:
			for _, key := range was[name].changed(is[name]) {
				all = append(all, name+": "+key)
			}
		}
	}
	return all
}

// documents are the files of sales and rooms, by their names.
func (c *Config) documents() map[string]*document {
	all := map[string]*document{}
	for i := range c.Sales {
		all[c.Sales[i].ID] = c.Sales[i].src
	}
	for i := range c.Rooms {
		all[c.Rooms[i].ID] = c.Rooms[i].src
	}
	return all
}

func merged[V any](a, b map[string]V) map[string]V {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return both
}

// changed gives the keys that say something else in the next reading of a file, in
// order; of a group of keys those in it, unless it is a group in one of them alone, as
// what becomes "off" is not.
func (d *document) changed(next *document) (keys []string) {
	if d == nil || next == nil { // not read from files
		return nil
	}
	for key := range merged(d.saying, next.saying) {
		was, is := d.saying[key], next.saying[key]
		if was != is {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	turned := func(key string) bool { return d.has(key) && next.has(key) && d.groups(key) != next.groups(key) }
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
		return slices.ContainsFunc(keys, func(other string) bool {
			return !turned(key) && partOf(other, key) || turned(other) && partOf(key, other)
		})
	})
}

// groups reports whether a key's value has keys of its own.
func (d *document) groups(key string) bool {
	for k := range d.saying {
		if partOf(k, key) {
			return true
		}
	}
	return false
}

// partOf reports whether a dotted key is one of a group.
func partOf(key, group string) bool {
	return strings.HasPrefix(key, group+".") || strings.HasPrefix(key, group+"[")
}
