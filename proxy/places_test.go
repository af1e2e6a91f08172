package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/queueing"
)

// still is a shop in which requests stay until they are let go, and are noted in the
// order in which they came.
type still struct {
	mu   sync.Mutex
	came []string
	go1  chan struct{} // each lets one go
}

func newStill() *still { return &still{go1: make(chan struct{})} }

func (s *still) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.came = append(s.came, r.URL.Path)
	s.mu.Unlock()
	if strings.HasPrefix(r.URL.Path, "/still") {
		select {
		case <-s.go1:
		case <-r.Context().Done():
		}
	}
	_, _ = io.WriteString(w, "here")
}

func (s *still) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.came...)
}

// number is what a metric shows now; its labels come with its name.
func (s *stage) number(name string) string {
	s.t.Helper()
	families, err := s.metrics.Gather()
	if err != nil {
		s.t.Fatal(err)
	}
	base, label, _ := strings.Cut(name, "/")
	for _, f := range families {
		if f.GetName() != base {
			continue
		}
		for _, m := range f.GetMetric() {
			if label == "" || len(m.GetLabel()) > 0 && m.GetLabel()[0].GetValue() == label {
				return fmt.Sprint(m.GetGauge().GetValue() + m.GetCounter().GetValue())
			}
		}
	}
	return ""
}

// TestPlaces_Order: who holds a reservation comes first, then who has a pass, then
// who changes something, then everyone, though they came the other way round; forged
// cookies count for nothing.
func TestPlaces_Order(t *testing.T) {
	t.Parallel()
	shop := newStill()
	s := play(t, plot{shop: shop.serve, atOnce: 1})
	holder, passed := s.browser().admitted(), s.browser().admitted()
	holder.buy("").want(t, "buy", http.StatusCreated, "reserved")
	forger := s.browser()
	forger.plant(passCookie, passed.cookie(passCookie)+"x")

	var all sync.WaitGroup
	learn := s.browser()
	all.Go(func() { learn.get("/still/0") }) // its kind becomes known
	s.until("first", func() bool { return len(shop.seen()) == 1 })
	shop.go1 <- struct{}{}
	all.Wait()

	last := s.browser()
	all.Go(func() { last.get("/still/1") })
	s.until("taken", func() bool { return len(shop.seen()) == 2 })
	for _, one := range []struct {
		who    *browser
		method string
		path   string
		class  string
	}{
		{forger, http.MethodGet, "/forged", "everyone"},
		{s.browser(), http.MethodPost, "/notice", "change"},
		{passed, http.MethodGet, "/pass", "pass"},
		{holder, http.MethodGet, "/hold", "hold"},
	} {
		all.Go(func() { one.who.do(one.method, one.path, "").code(t, one.path, http.StatusOK) })
		s.until(one.path+" waits", func() bool { return s.number("waitroom_origin_waiting/"+one.class) == "1" })
	}
	shop.go1 <- struct{}{}
	all.Wait()
	if got, want := fmt.Sprint(shop.seen()[2:]), "[/hold /pass /notice /forged]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if detail := s.admin(http.MethodGet, "/v1/origin", "", token).field("detail"); !strings.HasPrefix(detail, "0 at the origin, 1 may be, 0 wait; ") {
		t.Errorf("admin: %q", detail)
	}
	if limit, here := s.number("waitroom_origin_limit"), s.number("waitroom_origin_requests"); limit != "1" || here != "0" {
		t.Errorf("limit %s, here %s", limit, here)
	}
}

// TestPlaces_None: who finds no place is told so in both forms, when to come back, and
// why in the record; a prefetch at once; what is kept is shown instead, though it is
// stale, unless it says that it must not be.
func TestPlaces_None(t *testing.T) {
	t.Parallel()
	shop := newStill()
	s := play(t, plot{atOnce: 1, shop: func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/kept":
			w.Header().Set("Cache-Control", "public, max-age=1")
		case "/strict":
			w.Header().Set("Cache-Control", "public, max-age=1, must-revalidate")
		}
		shop.serve(w, r)
	}})
	b := s.browser()
	b.get("/kept").code(t, "kept", http.StatusOK)
	b.get("/strict").code(t, "strict", http.StatusOK)
	first := make(chan reply, 1)
	go func() { first <- b.get("/still/0") }()
	s.until("known", func() bool { return len(shop.seen()) == 3 })
	shop.go1 <- struct{}{}
	(<-first).code(t, "first", http.StatusOK)
	go func() { first <- b.get("/still/1") }()
	s.until("taken", func() bool { return len(shop.seen()) == 4 })
	time.Sleep(1100 * time.Millisecond) // what is kept is stale then

	begun := time.Now()
	r := b.get("/any").want(t, "script", http.StatusServiceUnavailable, "crowded")
	if took := time.Since(begun); took < time.Second || r.Header.Get("Retry-After") == "" {
		t.Errorf("script: after %v, Retry-After %q", took, r.Header.Get("Retry-After"))
	}
	page := s.person().get("/any").code(t, "page", http.StatusServiceUnavailable)
	if !strings.Contains(page.body, `data-page="crowded"`) || !strings.Contains(page.body, `http-equiv="refresh"`) {
		t.Errorf("page: got %.400s", page.body)
	}
	form := s.person().do(http.MethodPost, "/any", "a=b").code(t, "form", http.StatusServiceUnavailable)
	if strings.Contains(form.body, `http-equiv="refresh"`) {
		t.Error("form: is renewed by itself")
	}
	begun = time.Now()
	b.get("/any", "Sec-Purpose", "prefetch").want(t, "prefetch", http.StatusServiceUnavailable, "crowded")
	if took := time.Since(begun); took > time.Second {
		t.Errorf("prefetch: waited %v", took)
	}
	if kept := b.get("/kept").code(t, "kept", http.StatusOK); kept.body != "here" || !strings.Contains(kept.Header.Get("Cache-Status"), "detail=stale") {
		t.Errorf("kept: got %q, %q", kept.body, kept.Header.Get("Cache-Status"))
	}
	b.get("/strict").want(t, "strict", http.StatusServiceUnavailable, "crowded")
	for class, want := range map[string]string{"everyone": "3", "change": "1", "pass": "2", "hold": "0"} { // what can be kept is for many
		if got := s.number("waitroom_origin_refused_total/" + class); got != want {
			t.Errorf("%s were refused of %s, want %s", got, class, want)
		}
	}
	reasons := map[any]int{}
	for _, line := range s.log.lines(t, "request") {
		if line["decision"] == "crowded" {
			reasons[line["reason"]]++
		}
	}
	if reasons["everyone"] != 3 || reasons["change"] != 1 || reasons["pass"] != 1 {
		t.Errorf("records: %v, want three of everyone, one of a change and one for many", reasons)
	}
	shop.go1 <- struct{}{}
	(<-first).code(t, "second", http.StatusOK)
	b.get("/any").code(t, "afterwards", http.StatusOK)
}

// TestPlaces_Streams: event streams, slow readers, slow uploads and who has left hold
// no place.
func TestPlaces_Streams(t *testing.T) {
	t.Parallel()
	s := play(t, plot{atOnce: 1, shop: func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/events":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: 1\n\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case "/large":
			w.Header().Set("Content-Length", fmt.Sprint(64<<20))
			_, _ = w.Write(make([]byte, 64<<20))
		case "/upload":
			_, _ = io.Copy(io.Discard, r.Body)
		case "/never":
			<-r.Context().Done()
		default:
			_, _ = io.WriteString(w, "here")
		}
	}})
	quick := func(what string) {
		t.Helper()
		begun := time.Now()
		s.browser().get("/page").code(t, what, http.StatusOK)
		if took := time.Since(begun); took > 1400*time.Millisecond {
			t.Errorf("%s: took %v", what, took)
		}
	}
	quick("nobody else")
	for _, target := range []string{"GET /events", "GET /large", "GET /never"} {
		conn := s.rawConn()
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, target+" HTTP/1.1\r\nHost: "+host+"\r\n\r\n")
		if target != "GET /never" {
			if _, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil); err != nil {
				t.Fatalf("%s: %v", target, err)
			}
		} else {
			time.Sleep(50 * time.Millisecond)
			_ = conn.Close()
		}
		quick(target)
	}
	conn := s.rawConn()
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "POST /upload HTTP/1.1\r\nHost: "+host+"\r\nContent-Length: 1000\r\n\r\nslow")
	quick("POST /upload")
}

// TestPlaces_Reload: who is at the shop counts on after a reload, unless it is about
// the shop.
func TestPlaces_Reload(t *testing.T) {
	t.Parallel()
	shop := newStill()
	s := play(t, plot{shop: shop.serve, atOnce: 3})
	first := make(chan reply, 1)
	b := s.browser()
	go func() { first <- b.get("/still") }()
	s.until("there", func() bool { return s.number("waitroom_origin_requests") == "1" })
	cfg := *s.cfg
	cfg.Limits.Body = 1 << 20
	if err := s.edge.Apply(&cfg); err != nil {
		t.Fatal(err)
	}
	if here := s.number("waitroom_origin_requests"); here != "1" {
		t.Errorf("%s are there after a reload, want 1", here)
	}
	other := cfg
	other.Origin.AtOnce.Most = 2
	if err := s.edge.Apply(&other); err != nil {
		t.Fatal(err)
	}
	if limit := s.number("waitroom_origin_limit"); limit != "2" {
		t.Errorf("limit %s after another was set, want 2", limit)
	}
	shop.go1 <- struct{}{}
	(<-first).code(t, "who was there", http.StatusOK)
}

// TestPlaces_HoldInTime: who holds a reservation comes first while it can be paid, and
// afterwards as who has a pass, though the origin is told of it still.
func TestPlaces_HoldInTime(t *testing.T) {
	t.Parallel()
	shop := newStill()
	s := play(t, plot{shop: shop.serve, atOnce: 1, sale: "hold: 5m"})
	keys, err := queueing.NewKeyring(s.cfg.Secrets)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	holder := func(id byte, payable time.Duration) *browser {
		b := s.browser()
		b.plant(passCookie, keys.SignPass(queueing.Pass{Sale: s.cfg.Sales[0].Key, ID: [8]byte{id}, Admitted: now,
			Expires: now.Add(payable + 5*time.Minute), Reservation: fmt.Sprint("r", id)}))
		return b
	}
	var all sync.WaitGroup
	all.Go(func() { s.browser().get("/still/0") })
	s.until("taken", func() bool { return len(shop.seen()) == 1 })
	all.Go(func() { holder(1, -time.Second).get("/yesterday").code(t, "yesterday", http.StatusOK) })
	s.until("past", func() bool { return s.number("waitroom_origin_waiting/pass") == "1" })
	all.Go(func() { holder(2, time.Minute).get("/today").code(t, "today", http.StatusOK) })
	s.until("in time", func() bool { return s.number("waitroom_origin_waiting/hold") == "1" })
	shop.go1 <- struct{}{}
	all.Wait()
	if got, want := fmt.Sprint(shop.seen()[1:]), "[/today /yesterday]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestPlaces_SmallBodies: a small body that trickles holds no place, not for a moment,
// and arrives whole, as one does that is longer than is read first.
func TestPlaces_SmallBodies(t *testing.T) {
	t.Parallel()
	shop := newStill()
	s := play(t, plot{atOnce: 1, shop: func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Length", fmt.Sprint(len(body), " ", r.ContentLength))
		shop.serve(w, r)
	}})
	conn := s.rawConn()
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "POST /login HTTP/1.1\r\nHost: "+host+"\r\nContent-Length: 10\r\n\r\nslow ")
	for range 10 {
		if here := s.number("waitroom_origin_requests"); here != "0" {
			t.Fatalf("%s are there while the body comes", here)
		}
		time.Sleep(5 * time.Millisecond)
	}
	_, _ = io.WriteString(conn, "login")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := resp.Header.Get("X-Length"); resp.StatusCode != http.StatusOK || got != "10 10" {
		t.Errorf("small: got %d, %q", resp.StatusCode, got)
	}
	for _, n := range []int{1, 16<<10 - 1, 16 << 10, 16<<10 + 1, 100 << 10} {
		r := s.browser().do(http.MethodPost, "/login", strings.Repeat("x", n)).code(t, "long", http.StatusOK)
		if got, want := r.Header.Get("X-Length"), fmt.Sprint(n, " ", n); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestPlaces_BreaksOff: an address that breaks off what it asks for has half of the
// places, and its own next request waits while another's is served.
func TestPlaces_BreaksOff(t *testing.T) {
	t.Parallel()
	shop := newStill()
	s := play(t, plot{shop: shop.serve, atOnce: 2, config: "trusted_proxies: [127.0.0.0/8]"})
	one := []string{"X-Forwarded-For", "192.0.2.1"}
	first := make(chan reply, 1)
	go func() { first <- s.browser().get("/still/0", one...) }()
	s.until("there", func() bool { return len(shop.seen()) == 1 })
	time.Sleep(time.Second) // is usual
	shop.go1 <- struct{}{}
	(<-first).code(t, "first", http.StatusOK)

	conn := s.rawConn()
	_, _ = io.WriteString(conn, "GET /still/1 HTTP/1.1\r\nHost: "+host+"\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n")
	s.until("there again", func() bool { return len(shop.seen()) == 2 })
	_ = conn.Close()
	s.until("gone", func() bool {
		return slices.ContainsFunc(s.log.lines(t, "request"), func(line map[string]any) bool { return line["decision"] == "client_gone" })
	})
	if here := s.number("waitroom_origin_requests"); here != "1" {
		t.Errorf("%s are there of who has left, want 1", here)
	}
	var all sync.WaitGroup
	all.Go(func() { s.browser().get("/one", one...).code(t, "one", http.StatusOK) })
	s.until("one waits", func() bool { return s.number("waitroom_origin_waiting/everyone") == "1" })
	s.browser().get("/other", "X-Forwarded-For", "192.0.2.2").code(t, "other", http.StatusOK)
	all.Wait()
	if got, want := fmt.Sprint(shop.seen()[2:]), "[/other /one]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
