// Command shop is a storefront that can work on so many requests at once and is
// slowed down by each that waits besides, as shops are by their pools, locks and
// caches: what it can do in a second falls while more is wanted.
package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address")
	workers := flag.Int("workers", 8, "requests that it works on at once")
	service := flag.Duration("service", 250*time.Millisecond, "for one of them, when nobody waits")
	more := flag.Float64("more", 0.01, "share of that, for each that waits")
	flag.Parse()
	s := shop{slots: make(chan struct{}, *workers), service: *service, more: *more}
	server := &http.Server{Addr: *listen, Handler: &s, ReadHeaderTimeout: time.Minute}
	if err := server.ListenAndServe(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type shop struct {
	slots   chan struct{}
	service time.Duration
	more    float64
	there   atomic.Int64
	most    atomic.Int64
	all     atomic.Int64
}

// ServeHTTP answers one request, or says under /count how many came and how many
// were there at once at most, since it last said so.
func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/count" {
		_, _ = fmt.Fprintln(w, s.all.Swap(0), s.most.Swap(0))
		return
	}
	s.all.Add(1)
	defer s.there.Add(-1)
	for n := s.there.Add(1); ; {
		most := s.most.Load()
		if n <= most || s.most.CompareAndSwap(most, n) {
			break
		}
	}
	select {
	case s.slots <- struct{}{}:
	case <-r.Context().Done(): // who leaves while waiting costs nothing more
		return
	}
	defer func() { <-s.slots }()
	waiting := max(0, s.there.Load()-int64(cap(s.slots)))
	time.Sleep(time.Duration(float64(s.service) * (1 + s.more*float64(waiting))))
	w.Header().Set("Content-Type", "text/html")
	_, _ = fmt.Fprintf(w, "<h1>%s</h1>\n", time.Now())
}
