package static_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/waitroom/waitroom/static"
)

// waits is the view of somebody in line.
func waits(r *rand.Rand, lang string) static.View {
	place := r.Uint64N(1_000_000)
	v := static.View{
		Lang: lang, Sale: "golden-toy", Title: "Golden toy", ProductPage: "/toys/golden", BuyPath: "/toys/golden/buy", Host: "shop.example.com",
		HasNumber: true, Number: r.Uint64N(1_200_000), HasPlace: true, Place: place, Ahead: place - r.Uint64N(place+1), Drawn: 1_000_000, Entered: r.Uint64N(1000),
		Low: time.Duration(r.IntN(400)) * time.Minute / 4, Refresh: time.Duration(r.IntN(30)) * time.Second, Odds: "small",
		StockLeft: r.IntN(3), Closes: time.Hour, DoorsAt: static.NewMoment(time.Unix(0, 0), time.Unix(0, 0), time.UTC),
	}
	v.High = v.Low + time.Duration(r.IntN(100))*time.Minute
	if r.IntN(4) == 0 {
		v.Ahead, v.Low, v.High = r.Uint64N(min(30, place+1)), 0, 0
	}
	return v
}

// TestStencil: with its holes filled, a stencil is the page that is rendered, in each
// language, whatever the numbers are. A stencil that was cut for one serves all of its
// shape.
func TestStencil(t *testing.T) {
	t.Parallel()
	for _, lang := range static.Languages() {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			cut, used := map[static.Shape]*static.Stencil{}, 0
			for range 300 {
				v, page := waits(r, lang), []static.Page{static.Waiting, static.Near, static.Chance}[r.IntN(3)]
				shape, ok := static.ShapeOf(page, &v)
				if !ok {
					t.Fatalf("%s has no shape", page)
				}
				s, known := cut[shape]
				if !known {
					if s, ok = static.NewStencil(page, v); !ok {
						s = nil
					}
					cut[shape] = s
				}
				if s == nil {
					continue
				}
				used++
				want, err := static.Render(page, v)
				if err != nil {
					t.Fatal(err)
				}
				if got := filled(s, &v); got != string(want) {
					t.Fatalf("%+v: the page is another", v)
				}
			}
			if used < 250 {
				t.Errorf("%d pages of 300 have a stencil", used)
			}
		})
	}
}

func filled(s *static.Stencil, v *static.View) string {
	var page []byte
	for i, piece := range s.Pieces() {
		if page = append(page, piece...); i < s.Holes() {
			page = s.Append(page, i, v)
		}
	}
	return string(page)
}

// TestNoStencil: pages that tell more than numbers have none.
func TestNoStencil(t *testing.T) {
	t.Parallel()
	v := waits(rand.New(rand.NewPCG(1, 2)), "en")
	nobody, behind := v, v
	nobody.HasNumber, behind.Behind = false, true
	for what, one := range map[string]struct {
		page static.Page
		view static.View
	}{"a turn": {static.Turn, v}, "of nobody": {static.Waiting, nobody}, "behind the draw": {static.Waiting, behind}} {
		if _, ok := static.ShapeOf(one.page, &one.view); ok {
			t.Errorf("%s has a shape", what)
		}
		if _, ok := static.NewStencil(one.page, one.view); ok {
			t.Errorf("%s has a stencil", what)
		}
	}
}
