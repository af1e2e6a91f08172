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
	return rt
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

// route is pure: method, escaped path and instant in, want out. On a buy's path
// every method that writes is the buy, for many origins let a field of the
// request turn one into another.
func (rt *routes) route(method, escapedPath string, now time.Time) want {
	all := foldedReadings(escapedPath)
	p := rt.fold(escapedPath, all[0])
	if p+"/" == prefix || strings.HasPrefix(p, prefix) {
		return rt.own(strings.TrimPrefix(p, prefix))
	}
	if s := current(rt.byBuy[p], now); s != nil && writes(method) {
		return want{kind: wantBuy, sale: s}
	}
	buy := rt.spelledBuy(append(all, p))
	if s := current(rt.byBuy[buy], now); s != nil && writes(method) {
		return want{kind: wantBuy, sale: s}
	}
	onBuy, reads := buy != "", method == http.MethodGet || method == http.MethodHead
	if s := current(rt.byPage[p], now); s != nil && reads {
		return want{kind: wantPage, sale: s, onBuy: onBuy}
	}
	if len(rt.byBuy[p]) > 0 || len(rt.byPage[p]) > 0 {
		return want{kind: wantOrigin, onBuy: onBuy} // a sale's paths are never queued
	}
	switch r, clear := rt.spelledRoom(all); {
	case !clear || rt.unclear(escapedPath, r):
		return want{kind: wantUnclear}
	case r == nil:
		return want{kind: wantOrigin, onBuy: onBuy}
	case r.excepts(p) && isPlain(escapedPath, p):
		return want{kind: wantPast, room: r.room, onBuy: onBuy}
	default:
		return want{kind: wantRoom, room: r.room, onBuy: onBuy}
	}
}

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
