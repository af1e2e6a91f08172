package main

import (
	"reflect"
	"sync"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy"
	"github.com/waitroom/waitroom/static"
)

// shown is what a preview shows the pages of.
type shown struct {
	subjects []subject
	house    *static.Brand
	err      error // of the files; nothing else is known then
	version  int   // another after each change
}

// subject is one sale or room.
type subject struct {
	id, title string
	room      bool
	sale      *configs.Sale // nil: it is a room
	path      string        // of a room
	languages []string
	never     []string // moments that it cannot come to
	brand     *static.Brand
}

// sights are the files of a preview as they are now.
type sights struct {
	file string

	mu     sync.Mutex
	last   shown
	looked time.Time
	said   any // what the last was made from
}

// lookEvery bounds how often files are read again, however many pages are open.
const lookEvery = 300 * time.Millisecond

// look reads the files again and gives what they say. A brand that did not change is not
// made anew: to try one takes a while.
func (s *sights) look() shown {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.version > 0 && time.Since(s.looked) < lookEvery {
		return s.last
	}
	told, err := readShown(s.file, time.Now())
	s.looked = time.Now()
	if s.last.version > 0 && reflect.DeepEqual(told.plain(), s.said) {
		return s.last
	}
	next := shown{version: s.last.version + 1, err: err}
	if err == nil {
		next.subjects, next.house, next.err = told.dress()
	}
	s.last, s.said = next, told.plain()
	return next
}

// said is what was read, before brands are made of it.
type said struct {
	cfg    *configs.Config
	sales  []*configs.Sale
	rooms  []*configs.Room
	cfgErr error
}

// example is the sale that is shown where there is no file.
var example = configs.Sale{
	ID: "golden-toy", Title: "Golden toy, half price", Zone: time.UTC, Product: "/toys/golden",
	Buy: configs.Buy{Method: "POST", Path: "/toys/golden/buy"}, Checkout: "/checkout?reservation={reservation}",
	Stock: 100, Hold: 10 * time.Minute,
	Mix: "drand round 5,418,320", OneTicketPerAccount: true, MatchStock: true, Invitations: 500, // so that it comes to every moment
}

func readShown(file string, now time.Time) (f said, err error) {
	if file == "" {
		sale := example
		f.sales = []*configs.Sale{&sale}
		return f, nil
	}
	if configs.IsSaleFile(file) {
		sale, room, err := configs.LoadSaleFile(file, now)
		f.cfgErr = err
		if sale != nil && err == nil {
			f.sales = []*configs.Sale{sale}
		}
		if room != nil && err == nil {
			f.rooms = []*configs.Room{room}
		}
		return f, err
	}
	f.cfg, err = configs.LoadPlan(file, now)
	if f.cfgErr = err; err != nil {
		return f, err
	}
	for i := range f.cfg.Sales {
		f.sales = append(f.sales, &f.cfg.Sales[i])
	}
	for i := range f.cfg.Rooms {
		f.rooms = append(f.rooms, &f.cfg.Rooms[i])
	}
	return f, nil
}

// plain is all that is shown of files, in a form that can be compared.
func (f said) plain() (all []any) {
	if f.cfgErr != nil {
		return []any{f.cfgErr.Error()}
	}
	if f.cfg != nil {
		all = append(all, f.cfg.Brand, f.cfg.Languages, f.cfg.Bots.Asks())
	}
	for _, s := range f.sales {
		all = append(all, s.ID, s.Title, s.Brand, s.Languages, s.Product, s.Buy, s.Checkout, s.Stock, s.Doors, s.Opens, s.Closes, s.Zone.String(), s.Mix, s.Hold, s.MatchStock, s.OneTicketPerAccount, s.Invitations, s.Shed)
	}
	for _, r := range f.rooms {
		all = append(all, r.ID, r.Title, r.Brand, r.Languages, r.Path)
	}
	return all
}

// dress makes the brands; the error is all that is wrong with them.
func (f said) dress() (subjects []subject, house *static.Brand, err error) {
	cfg := f.cfg
	if cfg == nil {
		cfg = &configs.Config{}
		for _, s := range f.sales {
			cfg.Sales = append(cfg.Sales, *s)
		}
		for _, r := range f.rooms {
			cfg.Rooms = append(cfg.Rooms, *r)
		}
	}
	brands, err := proxy.NewBrands(cfg, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range f.sales {
		subjects = append(subjects, subject{id: s.ID, title: s.Title, sale: s, languages: s.Languages, never: never(s, f.cfg), brand: brands.Sales[s.ID]})
	}
	for _, r := range f.rooms {
		subjects = append(subjects, subject{id: r.ID, title: r.Title, room: true, path: r.Path, languages: r.Languages, brand: brands.Rooms[r.ID]})
	}
	if house = brands.House; f.cfg == nil && len(subjects) > 0 {
		house = subjects[0].brand // the operator's is in another file
	}
	return subjects, house, nil
}
