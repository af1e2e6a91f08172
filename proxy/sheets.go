package proxy

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/waitroom/waitroom/proxy/stitch"
	"github.com/waitroom/waitroom/static"
)

// mostSheets is how many shapes of the page of who waits lie ready, some fifty kilobytes
// each. A language has some dozens at a time: one for each wait that is told.
const mostSheets = 256

// sheets are the pages of who waits, ready but for the few numbers in each that are one
// shopper's.
type sheets struct {
	ready *lru.Cache[static.Shape, *sheet]
}

// sheet is such a page, and the same packed.
type sheet struct {
	stencil *static.Stencil // nil: such pages have none
	frame   *stitch.Frame
}

func newSheets() sheets {
	ready, _ := lru.New[static.Shape, *sheet](mostSheets) // only sizes below one fail
	return sheets{ready}
}

// render appends static.Render of a page, packed or not; ok is false where it does not lie
// ready, and cannot.
func (s sheets) render(b []byte, page static.Page, v *static.View, pack *stitch.Packer, packs bool) (_ []byte, ok bool) {
	shape, ok := static.ShapeOf(page, v)
	if !ok {
		return b, false
	}
	one, ok := s.ready.Get(shape)
	if !ok {
		one = s.cut(page, *v, pack)
	}
	switch {
	case one.stencil == nil:
		return b, false
	case packs:
		return one.packed(b, v), true
	default:
		return one.plain(b, v), true
	}
}

// cut makes a sheet.
func (s sheets) cut(page static.Page, v static.View, pack *stitch.Packer) *sheet {
	v = lasting(v)
	shape, _ := static.ShapeOf(page, &v)
	one := &sheet{}
	if stencil, ok := static.NewStencil(page, v); ok {
		one.stencil, one.frame = stencil, pack.NewFrame(stencil.Pieces(), static.Same(page, v))
	}
	s.ready.Add(shape, one)
	return one
}

func (s *sheet) plain(b []byte, v *static.View) []byte {
	for i, piece := range s.stencil.Pieces() {
		if b = append(b, piece...); i < s.stencil.Holes() {
			b = s.stencil.Append(b, i, v)
		}
	}
	return b
}

func (s *sheet) packed(b []byte, v *static.View) []byte {
	f := s.frame.Fill(b)
	for i := range s.stencil.Holes() {
		f.Shut(s.stencil.Append(f.Open(), i, v))
	}
	return f.End()
}
