package cache_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/proxy/cache"
)

// sink is a writer that costs nothing. As the standard library's own it reads with
// a buffer that it keeps.
type sink struct{ header http.Header }

var buffer = make([]byte, 32<<10)

func (s *sink) ReadFrom(r io.Reader) (n int64, err error) {
	for {
		m, err := r.Read(buffer)
		n += int64(m)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }
func (s *sink) WriteHeader(int)             {}

// BenchmarkPage is what one answer with a page costs, beside the standard library's
// with the same header and bytes. The ratio is this one's time in that one's.
func BenchmarkPage(b *testing.B) {
	body := strings.Repeat("<p>A golden toy, half price.</p>", 1000)
	fields := http.Header{"Content-Type": {"text/html; charset=utf-8"}, "Cache-Control": {"max-age=60"}, "X-Shop": {"1"}, "Etag": {`"a"`}}
	page := cache.New(1<<20, own, func(cache.Outcome) {}).Page()
	fetch := func(context.Context, func(http.Header)) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: fields.Clone(), ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body))}, nil
	}
	r := request(http.MethodGet, "/toys/golden")
	ours := func() {
		if err := page.Serve(&sink{http.Header{}}, r, fetch); err != nil {
			b.Fatal(err)
		}
	}
	w := &sink{http.Header{}}
	if err := page.Serve(w, r, fetch); err != nil {
		b.Fatal(err)
	}
	whole := []byte(body)
	theirs := func() {
		s := &sink{http.Header{}}
		for name, values := range w.header {
			s.header[name] = values
		}
		http.ServeContent(s, r, "", time.Time{}, bytes.NewReader(whole))
	}
	n := 100_000
	time0 := time.Now()
	for range n {
		theirs()
	}
	standard := time.Since(time0) / time.Duration(n)
	b.ReportAllocs()
	for b.Loop() {
		ours()
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(standard), "of-ServeContent")
}
