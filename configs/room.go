package configs

import (
	"net/http"
	"reflect"
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

	Except []string // paths under Path that never queue, with everything under them

	Admit         Rate          // new shoppers before a line forms, and the speed of that line
	Burst         int           // tokens the bucket holds; default a second's worth, at least 3
	MaxActive     int           // shoppers inside at once; 0: no bound
	PassLife      time.Duration // how long a pass lets its shopper through
	Sliding       bool          // from the last request on, rather than from the first
	WaitingStatus int           // of the waiting page: 200, 429 or 503

	Brand     *Brand   // as a sale's
	Languages []string // as a sale's

	src   *document // where its keys stand
	house *document // as a sale's
}

// Same reports whether nothing about two readings of a room differs but where
// they were read.
func (r *Room) Same(other *Room) bool {
	a, b := *r, *other
	a.src, b.src, a.house, b.house = nil, nil, nil, nil
	return reflect.DeepEqual(a, b)
}

func defaultRoom(file string) *Room {
	return &Room{File: file, PassLife: 20 * time.Minute, Sliding: true, WaitingStatus: http.StatusOK}
}
