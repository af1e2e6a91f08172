package proxy

import (
	"bytes"
	"compress/gzip"
	"testing"
	"time"

	fast "github.com/klauspost/compress/gzip"

	"github.com/waitroom/waitroom/proxy/stitch"
	"github.com/waitroom/waitroom/static"
)

// inLineView is what the page of somebody in line says.
func inLineView(place uint64) static.View {
	return static.View{
		Sale: "golden-toy", Title: "Golden toy, half price", ProductPage: "/toys/golden", BuyPath: "/toys/golden/buy", Host: "shop.example.com",
		HasNumber: true, Number: place * 7, HasPlace: true, Place: place, Ahead: place, Drawn: 1_000_000, Entered: 1_000_000,
		Low: 4 * time.Minute, High: 8 * time.Minute, Refresh: time.Minute, Odds: "small",
	}
}

// BenchmarkPage is what a page of somebody in line costs, and weighs: plain, packed each
// time, and stitched. What it takes to render it is in all of them.
func BenchmarkPage(b *testing.B) {
	p := stitch.NewPacker()
	each := func(level int) func([]byte, static.View) []byte {
		var out bytes.Buffer
		z, _ := gzip.NewWriterLevel(&out, level)
		return func(page []byte, _ static.View) []byte {
			out.Reset()
			z.Reset(&out)
			_, _ = z.Write(page)
			_ = z.Close()
			return out.Bytes()
		}
	}
	other := func(level int) func([]byte, static.View) []byte {
		var out bytes.Buffer
		z, _ := fast.NewWriterLevel(&out, level)
		return func(page []byte, _ static.View) []byte {
			out.Reset()
			z.Reset(&out)
			_, _ = z.Write(page)
			_ = z.Close()
			return out.Bytes()
		}
	}
	for _, test := range []struct {
		name string
		pack func([]byte, static.View) []byte
	}{
		{"plain", func(page []byte, _ static.View) []byte { return page }},
		{"gzip-1", each(1)}, {"gzip-6", each(6)}, {"gzip-9", each(9)}, {"klauspost-1", other(1)}, {"klauspost-6", other(6)},
		{"stitched", func(page []byte, v static.View) []byte { return p.Pack(page, static.Same(static.Waiting, v), false) }},
	} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			size, place := 0, uint64(0)
			for b.Loop() {
				place++
				v := inLineView(place)
				page, err := static.Render(static.Waiting, v)
				if err != nil {
					b.Fatal(err)
				}
				size = len(test.pack(page, v))
			}
			b.ReportMetric(float64(size), "bytes/page")
		})
	}
}
