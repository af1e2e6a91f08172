package static_test

import (
	"testing"

	"github.com/waitroom/waitroom/static"
)

func BenchmarkRender(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := static.Render(static.Waiting, full); err != nil {
			b.Fatal(err)
		}
	}
}
