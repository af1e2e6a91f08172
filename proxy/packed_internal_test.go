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

// BenchmarkPage is what it costs to pack a page of somebody in line, and what it weighs
// then: packed each time, and stitched; and what it costs to render it.
func BenchmarkPage(b *testing.B) {
	const many = 64
	p, pages, views := stitch.NewPacker(), [many][]byte{}, [many]static.View{}
	render := func(i int) []byte {
		page, err := static.Render(static.Waiting, views[i])
		if err != nil {
			b.Fatal(err)
		}
		return page
	}
	for i := range many {
		views[i] = inLineView(uint64(i * 1234))
		pages[i] = render(i)
	}
	each := func(level int) func(int) []byte {
		var out bytes.Buffer
		z, _ := gzip.NewWriterLevel(&out, level)
		return func(i int) []byte {
			out.Reset()
			z.Reset(&out)
			_, _ = z.Write(pages[i])
			_ = z.Close()
			return out.Bytes()
		}
	}
	other := func(level int) func(int) []byte {
		var out bytes.Buffer
		z, _ := fast.NewWriterLevel(&out, level)
		return func(i int) []byte {
			out.Reset()
			z.Reset(&out)
			_, _ = z.Write(pages[i])
			_ = z.Close()
			return out.Bytes()
		}
	}
	for _, test := range []struct {
		name string
		pack func(int) []byte
	}{
		{"render", render},
		{"gzip-1", each(1)}, {"gzip-6", each(6)}, {"gzip-9", each(9)}, {"klauspost-1", other(1)}, {"klauspost-6", other(6)},
		{"stitched", func(i int) []byte { return p.Pack(pages[i], static.Same(static.Waiting, views[i]), false) }},
		{"stitched, secret", func(i int) []byte { return p.Pack(pages[i], static.Same(static.Waiting, views[i]), true) }},
	} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			size, i := 0, 0
			for b.Loop() {
				i = (i + 1) % many
				size = len(test.pack(i))
			}
			b.ReportMetric(float64(size), "bytes/page")
		})
	}
}
