package testserver

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// A Mood is how an issuer takes a request. The zero one lets it pass.
type Mood struct {
	Status int           // refused with this code: 429, 500
	Retry  time.Duration // what Retry-After says along with it
	Hang   bool          // nothing is ever answered
}

// Judge lets judge decide how every request is taken from now on; nil lets all
// pass.
func (i *Issuer) Judge(judge func(*http.Request) Mood) {
	i.desk.mu.Lock()
	defer i.desk.mu.Unlock()
	i.desk.judge = judge
}

// Orders is how many were asked for, whatever came of them.
func (i *Issuer) Orders() int {
	i.desk.mu.Lock()
	defer i.desk.mu.Unlock()
	return i.desk.orders
}

// Asked is how many requests there were.
func (i *Issuer) Asked() int {
	i.desk.mu.Lock()
	defer i.desk.mu.Unlock()
	return i.desk.asked
}

// desk stands before an issuer, counts, and breaks what passes on purpose.
type desk struct {
	addr    string
	forward http.Handler
	gone    chan struct{} // the test is over

	mu            sync.Mutex
	judge         func(*http.Request) Mood // nil: all pass
	orders, asked int
}

func startDesk(t Owner, behind string, own identity) *desk {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{addr: listener.Addr().String(), gone: make(chan struct{}), forward: &httputil.ReverseProxy{
		// The host stays, by which the issuer names its own addresses.
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "https", Host: behind})
			r.Out.Host = r.In.Host
		},
		Transport:    &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, //nolint:gosec // it is ours
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}}
	server := &http.Server{Handler: d}
	var served sync.WaitGroup
	served.Go(func() { _ = server.ServeTLS(listener, own.chain, own.key) })
	t.Cleanup(func() {
		close(d.gone)
		_ = server.Close()
		served.Wait()
	})
	return d
}

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch m := d.take(r); {
	case m.Hang:
		select {
		case <-r.Context().Done():
		case <-d.gone:
		}
		panic(http.ErrAbortHandler) // to return would be an answer
	case m.Status != 0:
		kind := "serverInternal"
		if m.Status == http.StatusTooManyRequests {
			kind = "rateLimited" // RFC 8555, 6.6
		}
		if m.Retry > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(m.Retry/time.Second)))
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(m.Status)
		_, _ = fmt.Fprintf(w, `{"type":"urn:ietf:params:acme:error:%s","detail":"so it was wanted","status":%d}`, kind, m.Status)
	default:
		d.forward.ServeHTTP(w, r)
	}
}

// take counts a request and asks the judge.
func (d *desk) take(r *http.Request) Mood {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked++
	if r.URL.Path == "/order-plz" { // Pebble's own name for it
		d.orders++
	}
	if d.judge == nil {
		return Mood{}
	}
	return d.judge(r)
}
