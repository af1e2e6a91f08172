package static

import (
	"bytes"
	"strconv"
	"time"
)

// Stencil is the page of who waits, with holes where it is about one shopper alone: all
// else is the same for everybody whose page has the same [Shape], and is rendered once.
type Stencil struct {
	pieces []string // one more than holes
	holes  []hole
	c      catalog
}

// Shape is what the page of somebody who waits is like but for the numbers in it. Shapes
// are compared: those of one language that wait about as long have the same.
type Shape struct {
	page     Page
	view     View   // without what is one shopper's, and without what such a page does not tell
	category string // of the number of people ahead
	wait     [3]uint64
	first    bool // has the first place of all
	drawn    bool // it is known where they began
	late     bool // has a number behind the draw
	renews   bool
}

// ShapeOf gives the shape of a page; ok is false for one that has no stencil: for pages of
// who does not wait in line, and those that a shop draws by templates of its own.
func ShapeOf(p Page, v *View) (s Shape, ok bool) {
	switch p {
	case Waiting, Near, Chance:
	default:
		return s, false
	}
	if !v.HasNumber || !v.HasPlace || v.Behind || v.Kept != "" || v.Reservation != "" || v.Brand != nil && len(v.Brand.look.Templates) > 0 {
		return s, false
	}
	s = Shape{
		page: p, view: common(*v), category: categoryOf(v.Lang, v.Ahead), wait: waitOf(v.Low, v.High),
		first: v.Place == 0, drawn: v.Number < v.Drawn && v.Ahead <= v.Place, late: v.Number >= v.Drawn, renews: v.Refresh > 0,
	}
	return s, true
}

// common is a view without what is one shopper's, and without what the page of who waits
// does not tell. The people in the draw only matter against a number.
func common(v View) View {
	v.Number, v.Place, v.Ahead, v.Refresh, v.Low, v.High = 0, 0, 0, 0, 0, 0
	v.Doors, v.Opens, v.Act, v.Closes, v.PayIn, v.Retry = 0, 0, 0, 0, 0, 0
	v.Entered, v.StockLeft, v.StockHeld = 0, 0, 0
	v.Drawn = min(v.Drawn, 1)
	return v
}

// categoryOf is the plural category of a number in a language.
func categoryOf(tag string, n uint64) string {
	c := speaking(tag)
	return c.category(n)
}

// waitOf is what span tells of a wait, in numbers.
func waitOf(low, high time.Duration) [3]uint64 {
	unit := time.Minute
	switch {
	case high <= 0, high > 30*24*time.Hour:
		return [3]uint64{}
	case high <= time.Minute:
		return [3]uint64{1}
	case high > 48*time.Hour:
		unit = 24 * time.Hour
	case high > 90*time.Minute:
		unit = time.Hour
	}
	return [3]uint64{uint64(unit), uint64(max(low, 0) / unit), uint64((high + unit - 1) / unit)}
}

// hole is what one shopper's page has at a place.
type hole int

const (
	holeNumber hole = iota
	holePlace
	holeGone
	holeAhead // as the language writes it
	holeRefresh
)

// Numbers that stand for a shopper's while a stencil is cut: no page has such others.
const (
	sampleNumber  = 511_223_344_157
	samplePlace   = 822_334_455_268
	sampleAhead   = 311_445_566_000 // and the last digits of the shopper's
	sampleRefresh = 622_133_447
	sampleDrawn   = 933_445_566_379
)

// NewStencil cuts the stencil for pages of the shape that a page has; ok is false where
// it has none after all.
func NewStencil(p Page, v View) (s *Stencil, ok bool) {
	shape, ok := ShapeOf(p, &v)
	if !ok {
		return nil, false
	}
	s = &Stencil{c: speaking(v.Lang)}
	if v.Brand != nil {
		s.c = v.Brand.speaks(v.Lang)
	}
	sample := shape.view
	sample.Low, sample.High = v.Low, v.High
	sample.Number, sample.Place, sample.Ahead = sampleNumber, samplePlace, sampleAhead+v.Ahead%1_000_000
	if sample.Drawn > 0 {
		sample.Drawn = sampleDrawn
	}
	if shape.late {
		sample.Drawn = min(sample.Drawn, 1)
	}
	if shape.renews {
		sample.Refresh = sampleRefresh * time.Second
	}
	if like, _ := ShapeOf(p, &sample); like.category != shape.category || like.drawn != shape.drawn || like.first != shape.first || like.late != shape.late {
		return nil, false // such numbers are told otherwise than large ones
	}
	page, err := Render(p, sample)
	if err != nil {
		return nil, false
	}
	s.cut(page, &sample)
	want, err := Render(p, v)
	return s, err == nil && bytes.Equal(s.page(&v), want)
}

// cut makes holes where a page has a sample's numbers.
func (s *Stencil) cut(page []byte, sample *View) {
	var marks [5][]byte
	for h := range hole(len(marks)) {
		marks[h] = s.appendHole(nil, h, sample)
	}
	for {
		at, which := len(page), hole(-1)
		for h, mark := range marks {
			if i := bytes.Index(page, mark); i >= 0 && i < at {
				at, which = i, hole(h)
			}
		}
		s.pieces = append(s.pieces, string(page[:at]))
		if which < 0 {
			return
		}
		s.holes = append(s.holes, which)
		page = page[at+len(marks[which]):]
	}
}

// Pieces are what lies between the holes: one more than there are.
func (s *Stencil) Pieces() []string { return s.pieces }

// Holes is how many there are.
func (s *Stencil) Holes() int { return len(s.holes) }

// Append appends what is in the hole behind a piece.
func (s *Stencil) Append(b []byte, piece int, v *View) []byte {
	return s.appendHole(b, s.holes[piece], v)
}

// appendHole appends what a hole has of a view.
func (s *Stencil) appendHole(b []byte, h hole, v *View) []byte {
	switch h {
	case holeNumber:
		return strconv.AppendUint(b, v.Number, 10)
	case holePlace:
		return strconv.AppendUint(b, v.Place, 10)
	case holeGone:
		return strconv.AppendUint(b, v.Place-min(v.Ahead, v.Place), 10)
	case holeAhead:
		return s.c.appendNumber(b, v.Ahead)
	default:
		return strconv.AppendInt(b, seconds(v.Refresh), 10)
	}
}

// page is a whole page.
func (s *Stencil) page(v *View) (page []byte) {
	for i, piece := range s.pieces {
		page = append(page, piece...)
		if i < len(s.holes) {
			page = s.Append(page, i, v)
		}
	}
	return page
}
