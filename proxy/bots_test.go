package proxy_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/proxy/challenge"
)

// beforeDraw is a sale whose doors are open.
func beforeDraw(bots string) plot {
	return plot{config: "bots: " + bots, doors: -time.Minute, opens: time.Hour, closes: 2 * time.Hour}
}

// task is what is asked of one browser.
type task struct{ text, solution string }

// asks gets a challenge and solves it.
func (b *browser) asks() task {
	b.s.t.Helper()
	r := b.own(http.MethodGet, "challenge").code(b.s.t, "challenge", http.StatusOK).
		head(b.s.t, "challenge", "Cache-Control", "no-store").noCookie(b.s.t, "challenge")
	bits, err := strconv.Atoi(r.field("bits"))
	if err != nil {
		b.s.t.Fatalf("challenge: %s", r.body)
	}
	t := task{text: r.field("challenge")}
	if bits > 0 {
		t.solution = challenge.Solve(t.text, bits)
	}
	return t
}

// shows wants a ticket, with what is shown for it.
func (b *browser) shows(t task, more ...string) reply {
	b.s.t.Helper()
	form := url.Values{"challenge": {t.text}, "solution": {t.solution}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return b.do(http.MethodPost, "/.waitroom/golden-toy/ticket", form.Encode())
}

func TestProof(t *testing.T) {
	t.Parallel()
	s := play(t, beforeDraw("{proof: true}"))
	right := s.browser()
	given := right.asks()
	right.shows(given).code(t, "a proof", http.StatusCreated)
	if right.cookie(ticketCookie) == "" {
		t.Error("a proof gave no ticket")
	}
	right.shows(given).code(t, "the same again, with its ticket", http.StatusOK)
	s.browser().shows(given).want(t, "a proof of somebody else's", http.StatusConflict, "challenge_spent").noCookie(t, "spent")

	for what, shown := range map[string]task{
		"nothing":           {},
		"a text of our own": {strings.Repeat("A", 56), given.solution},
		"no solution":       {s.browser().asks().text, ""},
		"another solution":  {s.browser().asks().text, given.solution},
	} {
		r := s.browser().shows(shown).code(t, what, http.StatusCreated)
		if got := r.field("reason"); got != "no_proof" && got != "no_challenge" {
			t.Errorf("%s: %s, want to be told why behind the draw", what, r.body)
		}
	}
	s.until("one entry in the draw", func() bool { return right.own(http.MethodGet, "status").field("entered") == "1" })
}

// TestProofJSON: a script may show it as JSON, and what cannot be read is nobody's
// fault but its own.
func TestProofJSON(t *testing.T) {
	t.Parallel()
	s := play(t, beforeDraw("{proof: true, suspicious: refuse}"))
	given := s.browser().asks()
	body, _ := json.Marshal(map[string]string{"challenge": given.text, "solution": given.solution})
	post := func(body, kind string, more ...string) reply {
		return s.browser().do(http.MethodPost, "/.waitroom/golden-toy/ticket", body, append([]string{"Content-Type", kind}, more...)...)
	}
	for _, test := range []struct {
		what, body, kind string
		code             int
		status           string
	}{
		{"right", string(body), "application/json", http.StatusCreated, ""},
		{"right, a second time", string(body), "application/json; charset=utf-8", http.StatusConflict, "challenge_spent"},
		{"no JSON", "{", "application/json", http.StatusBadRequest, "bad_request"},
		{"numbers", `{"challenge":1}`, "application/json", http.StatusBadRequest, "bad_request"},
		{"no form", "%zz", "application/x-www-form-urlencoded", http.StatusBadRequest, "bad_request"},
		{"neither", "x", "text/plain", http.StatusUnsupportedMediaType, "bad_request"},
		{"huge", strings.Repeat("A", 17<<10), "application/json", http.StatusRequestEntityTooLarge, "too_large"},
		{"an empty object", "{}", "application/json", http.StatusForbidden, "no_challenge"},
	} {
		r := post(test.body, test.kind)
		if r.StatusCode != test.code || r.field("status") != test.status {
			t.Errorf("%s: %d %s, want %d %s", test.what, r.StatusCode, r.body, test.code, test.status)
		}
	}
	post("{}", "application/json", "Content-Encoding", "gzip").code(t, "packed", http.StatusUnsupportedMediaType)
}

func TestUnprovenIsRefused(t *testing.T) {
	t.Parallel()
	s := play(t, beforeDraw("{proof: true, suspicious: refuse}"))
	script := s.browser()
	r := script.join().want(t, "a script", http.StatusForbidden, "no_challenge").noCookie(t, "a script")
	if got := r.field("challenge"); got != "/.waitroom/golden-toy/challenge" {
		t.Errorf("a script is not told where to ask: %s", r.body)
	}
	page := s.person().shows(task{}).code(t, "a form", http.StatusForbidden).noCookie(t, "a form")
	if !strings.Contains(page.body, "That did not let you join") || !strings.Contains(page.body, `href="/.waitroom/golden-toy/line"`) {
		t.Errorf("the page does not say what to do:\n%s", page.body)
	}
}

// hidden finds what a form of the door's would bring.
var hidden = regexp.MustCompile(`name="challenge" value="([^"]+)"`)

// TestProve: a press of the product page's button leads to the page that asks, whose form
// leads to the line.
func TestProve(t *testing.T) {
	t.Parallel()
	s := play(t, beforeDraw("{proof: true}"))
	person := s.person()
	person.buy("qty=1").code(t, "the press", http.StatusSeeOther).
		head(t, "the press", "Location", "/.waitroom/golden-toy/line")
	if person.cookie(ticketCookie) != "" {
		t.Error("the press gave a ticket though nothing was shown")
	}
	door := person.own(http.MethodGet, "line").code(t, "the door", http.StatusOK).noCookie(t, "the door").
		head(t, "the door", "Cache-Control", "no-store")
	if policy := door.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "; worker-src 'self'") {
		t.Errorf("the door may have no worker: %s", policy)
	}
	asked := hidden.FindStringSubmatch(door.body)
	if asked == nil || titleOf(door.body) != "One moment before you join" {
		t.Fatalf("the door asks nothing:\n%s", door.body)
	}
	for range 3 { // somebody reloads
		person.own(http.MethodGet, "line").code(t, "the door again", http.StatusOK).noCookie(t, "the door again")
	}
	person.own(http.MethodGet, "line?joined").code(t, "who comes back without a cookie", http.StatusOK)
	r := person.shows(task{asked[1], challenge.Solve(asked[1], challenge.LeastBits)}).code(t, "the form", http.StatusSeeOther).
		head(t, "the form", "Location", "/.waitroom/golden-toy/line?joined")
	if len(r.Cookies()) != 1 {
		t.Errorf("the form sets %v, want a ticket", r.Cookies())
	}
	line := person.own(http.MethodGet, "line?joined").code(t, "the line", http.StatusOK)
	if got := titleOf(line.body); got != "You are in the draw" {
		t.Errorf("the line is titled %q", got)
	}
	person.own(http.MethodGet, "prove").code(t, "the door, with a ticket", http.StatusSeeOther)

	s.person().own(http.MethodGet, "line", "Sec-Purpose", "prefetch;prerender").code(t, "a speculative load", http.StatusTooManyRequests)
	s.until("one entry", func() bool { return person.own(http.MethodGet, "status").field("entered") == "1" })
}

// TestBuyIsAsked: a script that buys is told where to ask, and costs no call to
// Redis.
func TestBuyIsAsked(t *testing.T) {
	t.Parallel()
	p := beforeDraw("{proof: true}")
	p.doors, p.opens = -time.Hour, -time.Minute // also while the sale is open
	s := play(t, p)
	s.state("open")
	before := s.calls.n.Load()
	script := s.browser()
	r := script.buy("qty=1").code(t, "a script that buys", http.StatusTooManyRequests).noCookie(t, "a script that buys")
	if r.field("state") != "none" || r.field("challenge") != "/.waitroom/golden-toy/challenge" || r.Header.Get("Retry-After") == "" {
		t.Errorf("a script that buys is told %s", r.body)
	}
	given := script.asks()
	if got := s.calls.n.Load() - before; got != 0 {
		t.Errorf("to ask took %d calls to Redis, want none", got)
	}
	script.shows(given).code(t, "its proof", http.StatusCreated)
	script.until("called")
	script.buy("qty=1").want(t, "its buy", http.StatusCreated, "reserved")
}

// TestNothingAsked: without it in the configuration none of this is there.
func TestNothingAsked(t *testing.T) {
	t.Parallel()
	s := play(t, beforeDraw("{suspicious: refuse}"))
	b := s.browser()
	b.own(http.MethodGet, "challenge").want(t, "challenge", http.StatusNotFound, "not_found")
	b.own(http.MethodGet, "prove").want(t, "door", http.StatusNotFound, "not_found")
	b.join().code(t, "ticket", http.StatusCreated)
	s.person().own(http.MethodGet, "line").code(t, "line", http.StatusSeeOther)
}

// TestChallengeIsForNow: a challenge is given while there are tickets.
func TestChallengeIsForNow(t *testing.T) {
	t.Parallel()
	early := play(t, plot{config: "bots: {proof: true}", doors: time.Hour, opens: 2 * time.Hour, closes: 3 * time.Hour})
	early.browser().own(http.MethodGet, "challenge").code(t, "before the doors", http.StatusTooManyRequests)
	early.browser().own(http.MethodPost, "challenge").want(t, "posted", http.StatusMethodNotAllowed, "method")
	over := play(t, plot{config: "bots: {proof: true}", doors: -2 * time.Hour, opens: -time.Hour, closes: -time.Minute})
	over.browser().own(http.MethodGet, "challenge").code(t, "after the end", http.StatusConflict)
}

// TestProofIsSpentOnce over all edges, whoever comes at once, and by no other
// secret.
func TestProofIsSpentOnce(t *testing.T) {
	t.Parallel()
	p := beforeDraw("{proof: true}")
	p.redis = testserver.Redis(t)
	one := play(t, p)
	two := one.beside(p)
	given := one.browser().asks()
	var tickets, spent atomic.Int64
	var all sync.WaitGroup
	for i := range 20 {
		b := []*stage{one, two}[i%2].browser()
		all.Go(func() {
			switch r := b.shows(given); {
			case r.StatusCode == http.StatusCreated && r.field("reason") == "":
				tickets.Add(1)
			case r.StatusCode == http.StatusConflict && r.field("status") == "challenge_spent":
				spent.Add(1)
			default:
				t.Errorf("got %d %s", r.StatusCode, r.body)
			}
		})
	}
	all.Wait()
	if tickets.Load() != 1 || spent.Load() != 19 {
		t.Errorf("one proof gave %d tickets, and %d were told that it is spent", tickets.Load(), spent.Load())
	}
}

func TestLeastTime(t *testing.T) {
	t.Parallel()
	s := play(t, beforeDraw("{least_time: 1s}"))
	hasty, patient := s.browser(), s.browser()
	given := patient.asks()
	if r := hasty.shows(hasty.asks()).code(t, "too early", http.StatusCreated); r.field("reason") != "too_early" {
		t.Errorf("too early: %s", r.body)
	}
	var r reply
	s.until("a second", func() bool {
		r = s.browser().shows(given)
		return r.field("reason") == ""
	})
	r.code(t, "a second later", http.StatusCreated)

	page := s.person().own(http.MethodGet, "line")
	if !strings.Contains(page.body, ">Join the line</button>") {
		t.Errorf("without script there is no way in:\n%s", page.body)
	}
}

// TestRise: who stands behind the draw is in it with a proof, as long as it is to
// come.
func TestRise(t *testing.T) {
	t.Parallel()
	s := play(t, beforeDraw("{proof: true}"))
	b := s.browser()
	b.join().code(t, "without a proof", http.StatusCreated)
	behind := b.cookie(ticketCookie)
	b.join().code(t, "again without", http.StatusOK)
	if b.cookie(ticketCookie) != behind {
		t.Error("again without a proof: another ticket")
	}
	b.html = true
	b.own(http.MethodGet, "prove").code(t, "the door", http.StatusOK)
	b.html = false
	b.shows(b.asks()).code(t, "with a proof", http.StatusCreated)
	if b.cookie(ticketCookie) == behind {
		t.Error("with a proof: the same ticket")
	}
	b.shows(b.asks()).code(t, "with one more", http.StatusOK)
}

// TestInvitedIsNotAsked: an invitation is proof enough.
func TestInvitedIsNotAsked(t *testing.T) {
	t.Parallel()
	p := beforeDraw("{proof: true, suspicious: refuse}")
	p.sale = invites
	s := play(t, p)
	b := s.person().invited(3)
	if line := b.own(http.MethodGet, "line?joined").code(t, "line", http.StatusOK); titleOf(line.body) != "You are invited" {
		t.Errorf("the line is titled %q", titleOf(line.body))
	}
}

// TestBackToTheDoor: what a browser without script posts too late leads to the door
// once more, and what it posts twice to the line.
func TestBackToTheDoor(t *testing.T) {
	t.Parallel()
	s := play(t, beforeDraw("{proof: true, suspicious: refuse}"))
	given := s.browser().asks()
	s.browser().shows(given).code(t, "somebody", http.StatusCreated)
	other := s.person()
	door := other.shows(given).code(t, "with a challenge that is used", http.StatusConflict).noCookie(t, "used")
	asked := hidden.FindStringSubmatch(door.body)
	if asked == nil || asked[1] == given.text {
		t.Fatalf("the door does not ask once more:\n%s", door.body)
	}
	form := task{asked[1], challenge.Solve(asked[1], challenge.LeastBits)}
	other.shows(form).code(t, "with the new one", http.StatusSeeOther)
	other.shows(form).code(t, "the same posted twice", http.StatusSeeOther).
		head(t, "twice", "Location", "/.waitroom/golden-toy/line").noCookie(t, "twice")
}

// TestChallengesOfOtherSecrets: after a rotation those of the older secret are good,
// until it is gone.
func TestChallengesOfOtherSecrets(t *testing.T) {
	t.Parallel()
	s := play(t, beforeDraw("{proof: true}"))
	b := s.browser()
	first, second := b.asks(), b.asks()
	for _, test := range []struct {
		secrets []string
		shown   task
		reason  string
	}{
		{[]string{secretTwo, secretOne}, first, ""},
		{[]string{secretTwo}, second, "no_challenge"},
	} {
		cfg := *s.cfg
		cfg.Secrets = nil
		for _, secret := range test.secrets {
			cfg.Secrets = append(cfg.Secrets, configs.NewSecret(secret))
		}
		serve, err := s.edge.Prepare(&cfg)
		if err != nil {
			t.Fatal(err)
		}
		serve()
		if r := s.browser().shows(test.shown).code(t, "wish", http.StatusCreated); r.field("reason") != test.reason {
			t.Errorf("with %d secrets: %s, want reason %q", len(test.secrets), r.body, test.reason)
		}
	}
}

// TestAssets: what the door loads besides is kept for ever, and nothing else is there.
func TestAssets(t *testing.T) {
	t.Parallel()
	s := play(t, beforeDraw("{proof: true}"))
	door := s.person().own(http.MethodGet, "line")
	worker := regexp.MustCompile(`data-worker="([^"]+)"`).FindStringSubmatch(door.body)
	if worker == nil {
		t.Fatalf("the door has no worker:\n%s", door.body)
	}
	s.browser().get(worker[1]).code(t, "worker", http.StatusOK).
		head(t, "worker", "Cache-Control", "public, max-age=31536000, immutable").
		head(t, "worker", "Content-Type", "text/javascript; charset=utf-8").
		head(t, "worker", "Content-Security-Policy", "default-src 'none'").noCookie(t, "worker")
	s.browser().do(http.MethodPost, worker[1], "").want(t, "worker, posted", http.StatusMethodNotAllowed, "method")
	s.browser().get(worker[1]+"x").want(t, "another", http.StatusNotFound, "not_found").head(t, "another", "Cache-Control", "no-store")
	s.browser().get("/.waitroom/assets/").want(t, "all", http.StatusNotFound, "not_found")
}

// provider plays the service that is asked about tokens.
type provider struct {
	*httptest.Server
	answer atomic.Pointer[http.HandlerFunc]
	mu     sync.Mutex
	asked  []url.Values
}

func openProvider(t *testing.T) *provider {
	p := &provider{}
	p.says(func(w http.ResponseWriter, r *http.Request) {
		ok := r.PostFormValue("response") == "good"
		_ = json.NewEncoder(w).Encode(map[string]any{"success": ok, "error-codes": []string{}})
	})
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		p.mu.Lock()
		p.asked = append(p.asked, r.PostForm)
		p.mu.Unlock()
		(*p.answer.Load())(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *provider) says(f http.HandlerFunc) { p.answer.Store(&f) }

func (p *provider) questions() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	p := openProvider(t)
	s := play(t, beforeDraw(`{check: {kind: turnstile, site_key: pub, secret: "between us", url: "`+p.URL+`/siteverify"}}`))
	door := s.person().own(http.MethodGet, "line")
	if !strings.Contains(door.body, `class="cf-turnstile" data-sitekey="pub"`) || !strings.Contains(door.Header.Get("Content-Security-Policy"), "frame-src https://challenges.cloudflare.com") {
		t.Errorf("the door has no widget, or may not have it: %s", door.Header.Get("Content-Security-Policy"))
	}
	for _, test := range []struct {
		what   string
		fields []string
		reason string
		asked  bool
	}{
		{"a good token", []string{"check", "good"}, "", true},
		{"a good token of a form", []string{"cf-turnstile-response", "good"}, "", true},
		{"a bad token", []string{"check", "bad"}, "check_failed", true},
		{"no token", nil, "check_failed", false},
	} {
		before := p.questions()
		b := s.browser()
		r := b.shows(b.asks(), test.fields...).code(t, test.what, http.StatusCreated)
		if r.field("reason") != test.reason || p.questions() > before != test.asked {
			t.Errorf("%s: %s, asked: %t; want reason %q, asked: %t", test.what, r.body, p.questions() > before, test.reason, test.asked)
		}
	}
	s.browser().shows(task{text: "forged"}, "check", "good")
	if got := p.questions(); got != 3 {
		t.Errorf("%d questions, want none about who shows no challenge of ours", got)
	}
	if got := p.asked[0]; got.Get("secret") != "between us" || got.Get("remoteip") != "127.0.0.1" {
		t.Errorf("the service was told %v", got)
	}
	if strings.Contains(s.log.text(), "between us") {
		t.Error("the secret was logged")
	}
}

// TestCheckAway: whatever the service does, nobody is refused for it, nobody waits
// for long, and it is not asked again and again.
func TestCheckAway(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Error("the secret was sent elsewhere")
		_, _ = io.WriteString(w, `{"success":true}`)
	}))
	t.Cleanup(elsewhere.Close)
	for what, answer := range map[string]http.HandlerFunc{
		"huge": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"success":true,"x":"`+strings.Repeat("A", 1<<20)+`"}`)
		},
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		},
		"an error":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"no JSON":   func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "success") },
		"something": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{}`) },
		"a wrong secret": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"success":false,"error-codes":["invalid-input-secret"]}`)
		},
		"a broken line": func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := openProvider(t)
			p.says(answer)
			s := play(t, beforeDraw(`{suspicious: refuse, check: {kind: hcaptcha, site_key: pub, secret: "between us", url: "`+p.URL+`"}}`))
			for range 8 {
				b := s.browser()
				if r := b.shows(b.asks(), "check", "good"); r.StatusCode != http.StatusCreated || r.field("reason") != "check_away" {
					t.Errorf("got %d %s, want a ticket behind the draw", r.StatusCode, r.body)
				}
			}
			if got := p.questions(); got > 6 {
				t.Errorf("asked %d times, want to leave it in peace after five", got)
			}
			if got := len(s.log.lines(t, "check does not answer")); got != 1 {
				t.Errorf("%d warnings, want one", got)
			}
		})
	}
}

// TestCheckLog: a secret that the service does not know is logged with the first
// question, whatever the status, one token that came to nothing is not, and the end of
// trouble is.
func TestCheckLog(t *testing.T) {
	t.Parallel()
	p := openProvider(t)
	s := play(t, beforeDraw(`{check: {kind: turnstile, site_key: pub, secret: "between us", url: "`+p.URL+`"}}`))
	asks := func(status int, answer string) {
		p.says(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, answer)
		})
		b := s.browser()
		b.shows(b.asks(), "check", "good").code(t, answer, http.StatusCreated)
	}
	logged := func(when string, away, again int) {
		t.Helper()
		if a, b := len(s.log.lines(t, "check does not answer")), len(s.log.lines(t, "check answers again")); a != away || b != again {
			t.Errorf("%s: away %d times and back %d times, want %d and %d", when, a, b, away, again)
		}
	}
	asks(http.StatusInternalServerError, "")
	logged("one answer that is none", 0, 0)
	asks(http.StatusOK, `{"success":true}`)
	logged("a good one", 0, 0)
	for range 2 {
		asks(http.StatusBadRequest, `{"success":false,"error-codes":["invalid-input-secret"]}`)
	}
	logged("a wrong secret, twice", 1, 0)
	if !strings.Contains(s.log.text(), "check answers invalid-input-secret: bots.check: see its secret and site_key") {
		t.Error("the log does not say what to mend")
	}
	asks(http.StatusOK, `{"success":false,"error-codes":["timeout-or-duplicate"]}`)
	logged("an answer about a token", 1, 1)
	for range 2 {
		asks(http.StatusOK, `{"success":true}`)
	}
	logged("good ones", 1, 1)
}

// TestCheckSlow: nobody waits for longer than the deadline, and after a few the
// others do not wait at all.
func TestCheckSlow(t *testing.T) {
	t.Parallel()
	p := openProvider(t)
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	p.says(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	})
	s := play(t, beforeDraw(`{check: {kind: hcaptcha, site_key: pub, secret: "between us", url: "`+p.URL+`"}}`))
	var all sync.WaitGroup
	for range 10 {
		b := s.browser()
		given := b.asks()
		all.Go(func() {
			if r := b.shows(given, "check", "good"); r.field("reason") != "check_away" {
				t.Errorf("got %d %s, want to stand behind the draw", r.StatusCode, r.body)
			}
		})
	}
	begun := time.Now()
	all.Wait()
	if took := time.Since(begun); took > 8*time.Second {
		t.Errorf("took %v, want the deadline of three seconds", took)
	}
	b := s.browser()
	given := b.asks()
	begun = time.Now()
	b.shows(given, "check", "good")
	if took := time.Since(begun); took > time.Second {
		t.Errorf("the next took %v, want no wait for a service that is away", took)
	}
}

// TestAccountsRise, too: an account has one number, and the better one.
func TestAccountsRise(t *testing.T) {
	t.Parallel()
	p := beforeDraw("{proof: true}")
	p.config += "\nidentity: {header: X-Account}"
	s := play(t, p)
	b := s.browser()
	as := []string{"X-Account", "anna"}
	b.own(http.MethodPost, "ticket", as...).code(t, "without a proof", http.StatusCreated)
	given := b.asks()
	form := url.Values{"challenge": {given.text}, "solution": {given.solution}}.Encode()
	r := b.do(http.MethodPost, "/.waitroom/golden-toy/ticket", form, as...).code(t, "with a proof", http.StatusCreated)
	if r.field("behind") != "" {
		t.Errorf("with a proof: %s, want to be in the draw", r.body)
	}
	phone := s.browser()
	if r := phone.own(http.MethodPost, "ticket", as...); r.field("behind") != "" {
		t.Errorf("the phone, without a proof: %s, want the number that the account has", r.body)
	}
}

// TestBlockIsFull: what a block of addresses may have grows with time, not with
// attempts, and who is above it stands behind the draw, or is told when.
func TestBlockIsFull(t *testing.T) {
	t.Parallel()
	const caps = "\nlimits: {address: off, device: off, account: off, block: {join: 1/min, burst: 3}}"
	p := beforeDraw("{suspicious: behind}")
	p.config += caps
	s := play(t, p)
	for i := range 5 {
		r := s.browser().join().code(t, "join", http.StatusCreated)
		if got, want := r.field("reason") == "block_full", i >= 3; got != want {
			t.Errorf("ticket %d: %s, want behind the draw: %t", i, r.body, want)
		}
	}
	person := s.person()
	person.own(http.MethodGet, "line").code(t, "the line", http.StatusSeeOther).
		head(t, "the line", "Location", "/.waitroom/golden-toy/line?joined")
	person.own(http.MethodGet, "prove").code(t, "the door", http.StatusOK)

	p = beforeDraw("{suspicious: refuse}")
	p.config += caps
	s = play(t, p)
	for i := range 5 {
		want := http.StatusCreated
		if i >= 3 {
			want = http.StatusTooManyRequests
		}
		if r := s.browser().join().code(t, "join", want); i >= 3 && r.Header.Get("Retry-After") == "" {
			t.Errorf("who is above the cap is not told when: %v", r.Header)
		} else if i >= 3 {
			r.want(t, "who is above the cap", want, "block_full")
		}
	}
	told := s.person().do(http.MethodPost, "/.waitroom/golden-toy/ticket", "").code(t, "a person", http.StatusTooManyRequests)
	if !strings.Contains(told.body, "Your network has its tickets for now") {
		t.Errorf("a person is told something else than that the network has its tickets:\n%s", told.body)
	}
}
