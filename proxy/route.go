package proxy

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/waitroom/waitroom/configs"
)

const prefix = "/.waitroom/"

// want is what a request is for.
type want struct {
	kind wantKind
	sale *configs.Sale // for kinds of a sale
	room *configs.Room // for kinds of a room
	part string        // of our own prefix: status, ticket, me, …

	onBuy bool // a sale's buy is made on its path, though not by this request
}

type wantKind int

const (
	wantOrigin   wantKind = iota // belongs to no sale and no room
	wantOwn                      // under our prefix, of a sale
	wantRoomOwn                  // under our prefix, of a room
	wantAsset                    // under our prefix, what pages load besides
	wantLanguage                 // under our prefix, the choice of the language
	wantNothing                  // under our prefix, of neither
	wantPage                     // a sale's product page
	wantBuy                      // a sale's buy
	wantRoom                     // under the path of a room
	wantPast                     // there, but past its line
	wantUnclear                  // one origin may take it for this, and one for that
)

// routes find out what a request is for. They are built from a configuration
// and never change. Sales that follow each other may share paths.
type routes struct {
	rooms  []roomPath // the longest path first
	byID   map[string]*configs.Sale
	byPage map[string][]*configs.Sale // in order of opening
	byBuy  map[string][]*configs.Sale // by path, in order of opening
	byName map[string]string          // the path of a buy, by what else it is called
	known  map[string]*reading        // of paths as they are asked for most
}

// reading is what may be meant by a path, whenever and by whatever method: to find that
// out may take a while. What is a sale's is that of the first kinds that fit.
type reading struct {
	path      string // of a known one: as it is asked for
	own       want   // under our prefix; of the kind wantOrigin: it is not there
	buys      []*configs.Sale
	spelled   []*configs.Sale // whose buy an origin may take it for
	pages     []*configs.Sale
	otherwise want
	onBuy     bool
}

func newRoutes(sales []configs.Sale, rooms []configs.Room) *routes {
	rt := &routes{
		rooms:  roomPaths(rooms),
		byID:   map[string]*configs.Sale{},
		byPage: map[string][]*configs.Sale{},
		byBuy:  map[string][]*configs.Sale{},
		byName: map[string]string{},
	}
	for i := range sales {
		s := &sales[i]
		rt.byID[s.ID] = s
		page, buy := foldPath(s.Product), foldPath(s.Buy.Path)
		rt.byPage[page] = append(rt.byPage[page], s)
		rt.byBuy[buy] = append(rt.byBuy[buy], s)
		rt.byName[buy] = buy
	}
	for i := range sales {
		buy := foldPath(sales[i].Buy.Path)
		for _, name := range buyNames(buy) {
			if rt.byName[name] == "" {
				rt.byName[name] = buy
			}
		}
	}
	rt.learn(sales, rooms)
	return rt
}

// learn reads ahead what is asked for by the million.
func (rt *routes) learn(sales []configs.Sale, rooms []configs.Room) {
	rt.known = map[string]*reading{}
	learn := func(path string) {
		r := rt.read(path)
		r.path = path
		rt.known[path] = &r
	}
	for i := range sales {
		learn(sales[i].Product)
		learn(sales[i].Buy.Path)
		for part := range saleParts {
			learn(prefix + sales[i].ID + "/" + part)
		}
	}
	for i := range rooms {
		for part := range roomParts {
			learn(prefix + rooms[i].ID + "/" + part)
		}
	}
}

// current is the sale of several on one path that is not over, or the last.
func current(sales []*configs.Sale, now time.Time) *configs.Sale {
	for i, s := range sales {
		if i == len(sales)-1 || now.Before(s.Closes) {
			return s
		}
	}
	return nil
}

// writes reports whether a method is one that can buy. Some origins take methods
// in any case.
func writes(method string) bool {
	switch strings.ToUpper(method) {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		return true
	default:
		return false
	}
}

// fold is the folded path but for one that an origin might take for that of a buy, or
// for one of ours: it is that one.
func (rt *routes) fold(escapedPath, folded string) string {
	for _, parts := range climbs(escapedPath) {
		for name, buy := range rt.byName {
			if leadTo(parts, name) {
				return buy
			}
		}
		if i := slices.Index(parts, strings.Trim(prefix, "/")); i >= 0 {
			return "/" + strings.Join(parts[i:], "/")
		}
	}
	return folded
}

// unclear reports whether an origin might take a path for one of another room than
// the one that it folds to, or of a room at all.
func (rt *routes) unclear(escapedPath string, room *roomPath) bool {
	return slices.ContainsFunc(climbs(escapedPath), func(parts []string) bool {
		return slices.ContainsFunc(rt.rooms, func(r roomPath) bool {
			return leadTo(parts, r.path) && (room == nil || !within(room.path, r.path))
		})
	})
}

// route is pure: method, escaped path and instant in, want out.
func (rt *routes) route(method, escapedPath string, now time.Time) want {
	read := rt.read(escapedPath)
	return read.choose(method, now)
}

// read is the part of it that the path decides.
func (rt *routes) read(escapedPath string) (r reading) {
	all := foldedReadings(escapedPath)
	p := rt.fold(escapedPath, all[0])
	if p+"/" == prefix || strings.HasPrefix(p, prefix) {
		r.own = rt.own(strings.TrimPrefix(p, prefix))
		return r
	}
	buy := rt.spelledBuy(append(all, p))
	r.onBuy = buy != ""
	r.buys, r.spelled, r.pages = rt.byBuy[p], rt.byBuy[buy], rt.byPage[p]
	if len(r.buys) > 0 || len(r.pages) > 0 {
		r.otherwise = want{kind: wantOrigin, onBuy: r.onBuy} // a sale's paths are never queued
		return r
	}
	switch room, clear := rt.spelledRoom(all); {
	case !clear || rt.unclear(escapedPath, room):
		r.otherwise = want{kind: wantUnclear}
	case room == nil:
		r.otherwise = want{kind: wantOrigin, onBuy: r.onBuy}
	case room.excepts(p) && isPlain(escapedPath, p):
		r.otherwise = want{kind: wantPast, room: room.room, onBuy: r.onBuy}
	default:
		r.otherwise = want{kind: wantRoom, room: room.room, onBuy: r.onBuy}
	}
	return r
}

// choose is the part of it that method and instant decide. On a buy's path every method
// that writes is the buy, for many origins let a field of the request turn one into
// another.
func (r *reading) choose(method string, now time.Time) want {
	if r.own.kind != wantOrigin {
		return r.own
	}
	for _, buys := range [...][]*configs.Sale{r.buys, r.spelled} {
		if s := current(buys, now); s != nil && writes(method) {
			return want{kind: wantBuy, sale: s}
		}
	}
	reads := method == http.MethodGet || method == http.MethodHead
	if s := current(r.pages, now); s != nil && reads {
		return want{kind: wantPage, sale: s, onBuy: r.onBuy}
	}
	return r.otherwise
}

// id is that of the sale or the room whose answer it gets; empty: of none.
func (w want) id() string {
	switch {
	case w.sale != nil:
		return w.sale.ID
	case w.room != nil && w.kind != wantPast:
		return w.room.ID
	default:
		return ""
	}
}

// tells reports whether a page elsewhere may be let read the answer, whatever it is.
func (w want) tells() bool { return w.kind == wantOwn || w.kind == wantRoomOwn || w.kind == wantBuy }

func (rt *routes) own(rest string) want {
	id, part, _ := strings.Cut(rest, "/")
	if s := rt.byID[id]; s != nil && part != "" {
		return want{kind: wantOwn, sale: s, part: part}
	}
	if rest == "language" {
		return want{kind: wantLanguage}
	}
	if id == "assets" { // no sale's name
		return want{kind: wantAsset, part: part}
	}
	for _, r := range rt.rooms {
		if r.room.ID == id && part != "" {
			return want{kind: wantRoomOwn, room: r.room, part: part}
		}
	}
	return want{kind: wantNothing}
}
