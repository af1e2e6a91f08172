package stitch_test

import (
	"strings"
	"testing"

	"github.com/waitroom/waitroom/proxy/stitch"
)

// TestFrame: whatever is in the gaps, what comes out is one gzip file of the whole.
func TestFrame(t *testing.T) {
	t.Parallel()
	p := stitch.NewPacker()
	for _, test := range []struct {
		name   string
		pieces []string
		same   []string
	}{
		{"nothing", []string{""}, nil},
		{"no gap", []string{"abc"}, nil},
		{"one gap", []string{"<a>", "</a>"}, nil},
		{"gaps alone", []string{"", "", ""}, nil},
		{"the same within", []string{"<a>" + style + "<b>", letters(9, 300) + views, "<c>"}, []string{style, views}},
		{"the same twice", []string{style + style, "x"}, []string{style, style}},
	} {
		f := p.NewFrame(test.pieces, test.same)
		for _, gap := range []string{"", "7", "1,234,567", letters(4, 60000)} {
			filling := f.Fill([]byte("kept"))
			for range len(test.pieces) - 1 {
				filling.Shut(append(filling.Open(), gap...))
			}
			out, found := strings.CutPrefix(string(filling.End()), "kept")
			if got, want := unpack(t, []byte(out)), strings.Join(test.pieces, gap); got != want || !found {
				t.Errorf("%s, %d bytes in a gap: %d bytes come out, want %d", test.name, len(gap), len(got), len(want))
			}
		}
	}
}

func BenchmarkFrame(b *testing.B) {
	f := stitch.NewPacker().NewFrame([]string{"<a>", style, letters(5, 500), letters(6, 500), views}, []string{style, views})
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		filling := f.Fill(out[:0])
		for i := range 4 {
			filling.Shut(append(filling.Open(), '0'+byte(i)))
		}
		out = filling.End()
	}
}
