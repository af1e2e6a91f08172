package proxy_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// blocks is a sale before its draw, of whose tickets a block of addresses gets so many.
func blocks(burst int) plot {
	p := beforeDraw("{suspicious: behind}")
	p.config += fmt.Sprintf("\nidentity: {header: X-Account}\nlimits: {address: off, device: off, account: off, block: {join: 1/h, burst: %d}}", burst)
	return p
}

// joinsAs joins as an account, with no ticket to show.
func (s *stage) joinsAs(account string) reply {
	s.t.Helper()
	return s.browser().own(http.MethodPost, "ticket", "X-Account", account)
}

// TestBlockCountsTicketsAlone: an account that is told its number again takes nothing
// of its block's, nor is it put behind the draw or told that it is, and it is counted
// once.
func TestBlockCountsTicketsAlone(t *testing.T) {
	t.Parallel()
	s := play(t, blocks(2))
	for range 8 {
		s.joinsAs("anna").code(t, "anna", http.StatusCreated)
	}
	if r := s.joinsAs("bert"); r.field("state") != "lottery" || r.field("reason") != "" {
		t.Errorf("bert is told %s, want that he is in the draw", r.body)
	}
	if r := s.joinsAs("carla"); r.field("reason") != "block_full" {
		t.Errorf("carla is told %s, want that the block is full", r.body)
	}
	if r := s.joinsAs("anna"); r.field("number") != "0" || r.field("behind") != "" || r.field("reason") != "" {
		t.Errorf("anna is told %s, want the number in the draw that she has", r.body)
	}
	if got := s.count(`waitroom_entries_total{sale="golden-toy"}`); got != 3 {
		t.Errorf("%v entries are counted, want 3", got)
	}
}

// TestBlockCountsWhoLeaves: who does not wait for the number may have been given one,
// which waits for the account.
func TestBlockCountsWhoLeaves(t *testing.T) {
	t.Parallel()
	s := play(t, blocks(2))
	b := s.browser()
	made, told := make(chan struct{}), make(chan struct{})
	var once sync.Once
	late := func() {
		once.Do(func() { close(made) })
		<-told
	}
	s.calls.late.Store(&late)
	leaves := func(account string, when func()) {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		asked := make(chan struct{})
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { close(asked) }})
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+host+"/.waitroom/golden-toy/ticket", nil) // a plain address
		req.Header.Set("X-Account", account)
		go func() {
			<-asked
			when()
			leave()
		}()
		if _, err := b.send(req); err == nil {
			t.Errorf("%s was answered", account)
		}
	}
	leaves("anna", func() { <-made })                              // whose call it is
	leaves("bert", func() { <-time.After(60 * time.Millisecond) }) // who would go with the next one
	s.until("bert is seen to have left", func() bool { return strings.Contains(s.log.text(), `/ticket","proto"`) })
	s.calls.late.Store(nil)
	close(told)
	s.until("anna has entered", func() bool { return s.browser().own(http.MethodGet, "status").field("entered") == "1" })
	if r := s.joinsAs("carla"); r.field("reason") != "block_full" {
		t.Errorf("carla is told %s, want that the block is full", r.body)
	}
	for _, account := range []string{"anna", "bert"} {
		if r := s.joinsAs(account); r.field("state") != "lottery" || r.field("reason") != "" {
			t.Errorf("%s is told %s, want the number that waited", account, r.body)
		}
	}
}

// TestProofIsCountedOnce: an account that has a number spends no proof, however often
// it shows one, and makes it no harder for others.
func TestProofIsCountedOnce(t *testing.T) {
	t.Parallel()
	p := beforeDraw("{proof: true}")
	p.config += "\nidentity: {header: X-Account}\nlimits: off"
	s := play(t, p)
	given := s.browser().asks()
	other := s.browser().asks()
	for i := range 160 { // 80 within 20 s would make it harder
		shown := other
		if i == 0 {
			shown = given
		}
		form := url.Values{"challenge": {shown.text}, "solution": {shown.solution}}.Encode()
		r := s.browser().do(http.MethodPost, "/.waitroom/golden-toy/ticket", form, "X-Account", "anna")
		if r.field("number") != "0" {
			t.Fatalf("showing %d: %d %s", i, r.StatusCode, r.body)
		}
	}
	if got := s.browser().own(http.MethodGet, "challenge").field("bits"); got != "11" {
		t.Errorf("%s bits are asked for one proof that was spent, want 11", got)
	}
	s.browser().shows(other).code(t, "the proof of which nothing was spent", http.StatusCreated)
}

// TestCheckOfWhatIsNoAnswer: what no service gives out is not asked about, and one of
// which the service makes nothing says nothing of the service.
func TestCheckOfWhatIsNoAnswer(t *testing.T) {
	t.Parallel()
	p := openProvider(t)
	p.says(func(w http.ResponseWriter, r *http.Request) {
		switch r.PostFormValue("response") {
		case "good":
			_, _ = w.Write([]byte(`{"success":true}`))
		case "odd":
			w.WriteHeader(http.StatusBadRequest)
		default:
			_, _ = w.Write([]byte(`{"success":false,"error-codes":["bad-request"]}`))
		}
	})
	s := play(t, beforeDraw(`{check: {kind: turnstile, site_key: pub, secret: "between us", url: "`+p.URL+`"}}`))
	for what, answer := range map[string]string{"too long": strings.Repeat("A", 9000), "what a wall of the service's would stop": "<script>alert(1)</script>", "two lines": "A\nA"} {
		b := s.browser()
		if r := b.shows(b.asks(), "check", answer); r.field("reason") != "check_failed" || p.questions() > 0 {
			t.Errorf("%s: %s after %d questions, want check_failed, unasked", what, r.body, p.questions())
		}
	}
	for i := range 16 {
		b := s.browser()
		answer := []string{"odd", "malformed"}[i%2]
		if r := b.shows(b.asks(), "check", answer); r.field("reason") != "check_away" {
			t.Errorf("%s: %s, want check_away", answer, r.body)
		}
	}
	b := s.browser()
	if r := b.shows(b.asks(), "check", "good"); r.field("reason") != "" {
		t.Errorf("a good one after 16 of which the service made nothing: %s", r.body)
	}
}

// TestNothingThereIsCounted: what is under no sale, of no host or in no method of ours
// counts as any other request.
func TestNothingThereIsCounted(t *testing.T) {
	t.Parallel()
	for what, ask := range map[string]struct{ method, path, host string }{
		"a part of nothing":  {http.MethodGet, "/.waitroom/nonsense", host},
		"no asset":           {http.MethodGet, "/.waitroom/assets/x", host},
		"an asset, posted":   {http.MethodPost, "/.waitroom/assets/x", host},
		"no part of a sale":  {http.MethodGet, "/.waitroom/golden-toy/x", host},
		"another method":     {http.MethodGet, "/.waitroom/golden-toy/ticket", host},
		"a status, posted":   {http.MethodPost, "/.waitroom/golden-toy/status", host},
		"a method of nobody": {http.MethodTrace, "/x", host},
		"another host":       {http.MethodGet, "/x", "other.example"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := play(t, plot{})
			s.reload(func(c *configs.Config) { c.Limits.Address = hourly })
			b := s.person()
			var r reply
			for range 2 {
				req, _ := http.NewRequest(ask.method, "https://"+host+ask.path, nil) // a plain address
				req.Host = ask.host
				req.Header.Set("Accept", "text/html")
				var err error
				if r, err = b.send(req); err != nil {
					t.Fatal(err)
				}
			}
			if r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Retry-After") == "" {
				t.Errorf("the second time: %d %.80s, want 429", r.StatusCode, r.body)
			}
		})
	}
}
