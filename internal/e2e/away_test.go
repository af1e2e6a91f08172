package e2e_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

// TestRedisIsAway: while Redis cannot be reached, three edges let nobody in, keep
// every place and go on telling of it; and when it is back, they let in no more than
// ever: over all three the passes of any time t stay below burst + rate × t (I6).
func TestRedisIsAway(t *testing.T) {
	const rate, burst, claiming = 20, 5, 150
	away, waiting := 5*time.Second, 150
	if long() {
		away, waiting = time.Minute, 5000
	}
	store := testserver.StartRedis(t)
	relay := testserver.NewRelay(t, store.Addr)
	r := openTrio(t, "redis://"+relay.Addr, saleFile{stock: 1000, rate: rate, burst: burst, hold: 10 * time.Minute})
	ctx, cancel := context.WithTimeout(t.Context(), 6*patience+2*away)
	defer cancel()
	first := r.come(ctx, "first", r.edges[0])
	eventually(t, "the line moves", func() bool { return r.ask(ctx, first, r.edges[0], http.MethodGet, own("me")).State == "called" })
	for i := range waiting { // with one browser: what it keeps is the last ticket
		first.cookies = map[string]string{"session": fmt.Sprintf("waits-%d", i)}
		r.ask(ctx, first, r.edges[i%3], http.MethodPost, own("ticket"))
	}
	last := first // of all who wait

	told, stop := newTold(), make(chan struct{})
	var all sync.WaitGroup
	for i := range claiming {
		b := newBrowser(r.roots, fmt.Sprintf("account-%d", i), true)
		t.Cleanup(b.close)
		all.Go(func() { r.claim(ctx, b, told, stop) })
	}
	eventually(t, "passes are given", func() bool { return told.passes() > burst })

	var before []answer
	for _, e := range r.edges {
		before = append(before, r.ask(ctx, last, e, http.MethodGet, own("me")))
	}
	relay.Shut()
	gone := time.Now()
	pause(ctx, 4*time.Second) // the last calls, and until nobody trusts the last look
	none := told.passes()
	for i, e := range r.edges {
		me := r.ask(ctx, last, e, http.MethodGet, own("me"))
		if me.State != "paused" || *me.Number != *before[i].Number || me.PollMS < 1000 {
			t.Errorf("edge %d says %+v; want paused, number %d, and to wait a second or more", i, me, *before[i].Number)
		}
		if buy := r.ask(ctx, last, e, http.MethodPost, buyPath); buy.code != http.StatusServiceUnavailable || buy.Status != "paused" {
			t.Errorf("a buy at edge %d: %+v; want 503 paused", i, buy)
		}
		if code, text := r.page(ctx, last, e, "/.waitroom/"+saleID+"/line"); code != http.StatusOK || !strings.Contains(text, "<title>") {
			t.Errorf("the line's page of edge %d: %d %.80q", i, code, text)
		}
		if code, _ := r.page(ctx, last, e, productPath); code != http.StatusOK {
			t.Errorf("the product page of edge %d: %d", i, code)
		}
	}
	pause(ctx, time.Until(gone.Add(away)))
	if n := told.passes() - none; n != 0 {
		t.Errorf("%d passes were given while Redis was away", n)
	}
	relay.Open()
	back := time.Now()
	eventually(t, "passes are given again", func() bool { return told.passes() > none })
	t.Logf("passes are given again after %v", time.Since(back))
	pause(ctx, 3*time.Second)
	for i, e := range r.edges {
		if me := r.ask(ctx, last, e, http.MethodGet, own("me")); *me.Number != *before[i].Number || me.State == "none" || me.State == "paused" {
			t.Errorf("afterwards edge %d says %+v; want number %d", i, me, *before[i].Number)
		}
	}
	close(stop)
	all.Wait()
	told.within(t, rate, burst)
	t.Logf("%d passes; the most in any second: %d", told.passes(), told.mostWithin(1000))
}

// ask sends something to an edge and fails the test without an answer.
func (r *trio) ask(ctx context.Context, b *browser, edge *server, method, path string) answer {
	r.t.Helper()
	a, err := b.ask(ctx, edge.address, method, path, "", struct{}{})
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

// page opens an address as a person does.
func (r *trio) page(ctx context.Context, b *browser, edge *server, path string) (code int, text string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+edge.address+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	req.Header.Set("Sec-Fetch-Mode", "navigate")
	for name, value := range b.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	res, err := b.client.Do(req)
	if err != nil {
		r.t.Fatalf("GET %s: %v", path, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// claim asks all edges for passes, impatiently: who has one comes again as somebody else.
func (r *trio) claim(ctx context.Context, b *browser, told *told, stop <-chan struct{}) {
	for pause(ctx, time.Duration(100+rand.IntN(100))*time.Millisecond) {
		select {
		case <-stop:
			return
		default:
		}
		part := "pass"
		if b.cookies["__Host-wr-"+saleID] == "" {
			part = "ticket"
		}
		a, err := b.ask(ctx, r.edges[rand.IntN(3)].address, http.MethodPost, own(part), "", struct{}{})
		if err == nil && part == "pass" && a.code == http.StatusOK {
			told.admitted(a.AdmittedAt)
			b.cookies = map[string]string{"session": fmt.Sprintf("%s-again", b.cookies["session"])}
		}
	}
}

func (t *told) passes() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.stamps)
}

// within holds the passes of every time t to burst + rate × t. A stamp is cut to the
// millisecond, so the time may be one longer.
func (t *told) within(test *testing.T, rate, burst float64) {
	test.Helper()
	stamps := slices.Sorted(slices.Values(t.stamps))
	for i, first := range stamps {
		for n, at := range stamps[i:] {
			if most := burst + rate*float64(at-first+1)/1000; float64(n+1) > most {
				test.Fatalf("%d passes in %d ms, want at most %.2f", n+1, at-first, most)
			}
		}
	}
}
