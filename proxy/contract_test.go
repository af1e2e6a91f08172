package proxy_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/contract"
	"github.com/waitroom/waitroom/internal/testserver"
)

// TestContract: whole sales and every refusal are as docs/openapi.yaml says, and all
// that it says was seen.
func TestContract(t *testing.T) {
	t.Parallel()
	d := contract.Read(t, "openapi.yaml")
	t.Run("sales", func(t *testing.T) {
		for name, scene := range map[string]func(*testing.T, *contract.Document){
			"a whole sale": wholeSale, "pages": contractOfPages, "elsewhere": contractElsewhere, "what is not there": contractOfNothing,
			"before and after": contractBeforeAndAfter, "the draw": contractOfTheDraw, "far back": contractFarBack, "nothing left": contractOfNothingLeft,
			"paused": contractOfPauses, "asked for a proof": contractOfProofs, "refused without": contractOfRefusals, "accounts": contractOfAccounts,
			"limits": contractOfLimits, "blocks": contractOfBlocks, "invitations": contractOfInvitations, "nothing known": contractOfTheUnknown, "a room": contractOfARoom,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				scene(t, d)
			})
		}
	})
	for _, name := range d.Unseen(contractExcuses...) {
		t.Errorf("%s: in the document but never seen, or excused but seen", name)
	}
}

// contractExcuses are answers of which the document speaks and no scene is made.
var contractExcuses = []string{
	// More requests at once than the edge may answer: the same answer wherever it comes.
	"GET /.waitroom/{sale}/left.js 503",
}

// app is a client whose every answer is held against the document.
func (s *stage) app(d *contract.Document) *browser {
	b := s.browser()
	b.Transport = d.Watch(s.t, b.Transport)
	return b
}

// reader is a person of whom the same is true.
func (s *stage) reader(d *contract.Document) *browser {
	b := s.app(d)
	b.html = true
	return b
}

const (
	contractBuy = "/toys/golden/buy"
	ownPrefix   = "/.waitroom/golden-toy/"
	asJSON      = "application/json"
)

func wholeSale(t *testing.T, d *contract.Document) {
	s := play(t, plot{sale: "per_account: 2"})
	b := s.app(d)
	b.own(http.MethodPost, "pass").code(t, "pass without a ticket", 429)
	b.own(http.MethodGet, "me").code(t, "me without a ticket", 200)
	b.own(http.MethodGet, "order").code(t, "no order", 404)
	b.join().code(t, "join", 201)
	b.join().code(t, "join again", 200)
	b.until("called")
	s.until("pass", func() bool { return b.own(http.MethodPost, "pass").StatusCode == 200 })
	b.own(http.MethodPost, "pass").code(t, "pass again", 200)
	b.own(http.MethodGet, "me").code(t, "admitted", 200)
	b.own(http.MethodGet, "line", "Accept", asJSON).code(t, "line", 200)

	for _, wrong := range []struct {
		body, kind string
		code       int
	}{
		{"qty=0", "", 400}, {"qty=1&qty=1", "", 400}, {`{"qty":"two"}`, asJSON, 400}, {"{", asJSON, 400}, {"qty=3", "", 422},
		{strings.Repeat("a", 65<<10), "", 413}, {"qty=1", "application/x-www-form-urlencoded; charset=utf-16", 415},
	} {
		fields := []string{"Idempotency-Key", "wrong"}
		if wrong.kind != "" {
			fields = append(fields, "Content-Type", wrong.kind)
		}
		b.buy(wrong.body, fields...).code(t, "buy "+wrong.body[:min(20, len(wrong.body))], wrong.code)
	}
	yes := b.buy("qty=1", "Idempotency-Key", "one").code(t, "buy", 201)
	b.buy("qty=1", "Idempotency-Key", "one").code(t, "buy again", 201)
	b.buy("qty=2", "Idempotency-Key", "one").code(t, "the key with another body", 422)
	b.buy("qty=1", "Idempotency-Key", "two").code(t, "another key", 409)
	b.own(http.MethodGet, "me").code(t, "held", 200)
	id := yes.field("reservation")
	for version, note := range []gate.Note{
		{Status: gate.Held, PayBefore: time.Now().Add(time.Minute)}, {Status: gate.Paid}, {Status: gate.RefundDue}, {Status: gate.Cancelled}, {Status: gate.Refused},
	} {
		b.own(http.MethodGet, "order").code(t, "order", 200)
		note.Reservation, note.Version, note.Qty = id, version+2, 1
		if err := s.gate.Tell(context.Background(), note); err != nil {
			t.Fatal(err)
		}
	}
	b.own(http.MethodGet, "order").code(t, "order", 200)

	// A whole buy in one request.
	c := s.app(d).called()
	c.do(http.MethodPost, contractBuy+"?qty=2", "").code(t, "claim and buy", 201)
	shared := b.own(http.MethodGet, "status").code(t, "status", 200)
	s.until("an unchanged document", func() bool {
		shared = b.own(http.MethodGet, "status")
		return b.own(http.MethodGet, "status", "If-None-Match", shared.Header.Get("ETag")).StatusCode == 304
	})
	script := b.own(http.MethodGet, "left.js").code(t, "left.js", 200)
	b.own(http.MethodGet, "left.js", "If-None-Match", script.Header.Get("ETag")).code(t, "left.js again", 304)
}

func contractOfPages(t *testing.T, d *contract.Document) {
	s := play(t, plot{})
	s.reader(d).own(http.MethodGet, "line").code(t, "opening joins", 303)
	s.reader(d).own(http.MethodGet, "line", "Sec-Purpose", "prefetch").code(t, "opened ahead", 429)
	s.reader(d).buy("qty=1").code(t, "a form that waits", 303)
	p := s.reader(d)
	p.own(http.MethodPost, "ticket").code(t, "a form that joins", 303)
	p.own(http.MethodGet, "line").code(t, "the page", 200)
	p.until("called")
	for _, path := range []string{ownPrefix + "ticket", ownPrefix + "pass", contractBuy} {
		p.do(http.MethodPost, path, "", "Sec-Fetch-Dest", "iframe").code(t, "a form in a frame", 200)
	}
	p.own(http.MethodPost, "pass").code(t, "a form that claims", 303)
	p.buy("qty=1").code(t, "a form that buys", 201)
	p.get("/.waitroom/language?to=de").code(t, "language", 303)
	p.get("/.waitroom/language?to=xx").code(t, "no language", 400)
	s.app(d).get("/.waitroom/language").code(t, "no language", 400)
	s.app(d).get("/.waitroom/language?to=de", "Sec-Purpose", "prefetch").code(t, "chosen ahead", 503)
}

func contractElsewhere(t *testing.T, d *contract.Document) {
	const origin = "https://app.example.com"
	s := play(t, plot{config: `cors: {origins: ["` + origin + `"]}`})
	b := s.app(d)
	b.buy("", "Origin", origin).code(t, "buy", 429)
	for _, part := range []string{"me", "order", "status", "left.js", "challenge"} {
		b.own(http.MethodGet, part, "Origin", origin)
	}
	b.own(http.MethodPost, "ticket", "Origin", origin)
	b.until("called")
	b.buy("", "Origin", origin).code(t, "buy", 201)
	b.own(http.MethodGet, "status", "Origin", "https://elsewhere.example").head(t, "status", "Access-Control-Allow-Origin", "*")
}

// contractOfNothing: sales and parts that there are not, and a host that is not ours.
func contractOfNothing(t *testing.T, d *contract.Document) {
	s := play(t, plot{})
	b := s.app(d)
	for part, method := range contractParts {
		b.do(method, "/.waitroom/no-such-toy/"+part, "").code(t, "no sale, "+part, 404)
		b.astray(method, ownPrefix+part).code(t, "another host, "+part, 421)
	}
	for _, part := range []string{"challenge", "prove", "invite"} {
		b.own(http.MethodGet, part).code(t, part, 404)
	}
	b.astray(http.MethodGet, "/.waitroom/language").code(t, "another host, language", 421)
	b.astray(http.MethodPost, contractBuy).code(t, "another host, buy", 421)
}

// contractParts are all parts of a sale.
var contractParts = map[string]string{
	"status": "GET", "left.js": "GET", "ticket": "POST", "me": "GET", "pass": "POST", "order": "GET", "line": "GET",
	"challenge": "GET", "prove": "GET", "invite": "GET",
}

// astray asks for a host that is none of ours.
func (b *browser) astray(method, path string) reply {
	b.s.t.Helper()
	req, err := http.NewRequest(method, "https://"+host+path, nil)
	if err != nil {
		b.s.t.Fatal(err)
	}
	req.Host = "elsewhere.example"
	r, err := b.send(req)
	if err != nil {
		b.s.t.Fatal(err)
	}
	return r
}

func contractBeforeAndAfter(t *testing.T, d *contract.Document) {
	const asks = "bots: {proof: true}"
	before := play(t, plot{doors: time.Hour, opens: 2 * time.Hour, closes: 3 * time.Hour, sale: invites, config: asks})
	over := play(t, plot{doors: -3 * time.Hour, opens: -2 * time.Hour, closes: -time.Hour, sale: invites, config: asks})
	b, late := before.app(d), over.app(d)
	b.buy("").code(t, "buy", 429)
	for part, code := range map[string]struct{ before, after int }{
		"status": {200, 200}, "ticket": {429, 409}, "me": {200, 200}, "pass": {429, 429}, "line": {200, 200}, "challenge": {429, 409}, "prove": {429, 409},
	} {
		b.own(contractParts[part], part, "Accept", asJSON).code(t, "before, "+part, code.before)
		late.own(contractParts[part], part, "Accept", asJSON).code(t, "after, "+part, code.after)
	}
	late.buy("").want(t, "buy, after", 409, "ended")
	late.get(link(t, 1, time.Time{})).code(t, "an invitation, after", 410)
}

func contractOfTheDraw(t *testing.T, d *contract.Document) {
	s := play(t, plot{doors: -time.Minute, opens: 4 * time.Second, sale: "mix: drand round 5213377\nadmit: 100/s"})
	b := s.app(d)
	b.own(http.MethodGet, "status").want(t, "doors", 200, "")
	b.join().code(t, "join", 201)
	b.own(http.MethodGet, "me").code(t, "in the draw", 200)
	s.until("the draw waits", func() bool { return b.own(http.MethodGet, "status").field("drawn") == "1" })
	s.app(d).join().code(t, "join behind a draw that waits", 201)
	s.admin(http.MethodPut, mixPath, drand, token).want(t, "mix", 200, "ok")
	s.until("the draw", func() bool { return b.own(http.MethodGet, "status").field("seed") != "" })
	b.until("called")
}

func contractFarBack(t *testing.T, d *contract.Document) {
	s := play(t, plot{stock: 1, doors: -time.Minute, opens: 2 * time.Second, sale: "admit: 1/min\nshed: {line_per_unit: 5}"})
	var crowd []*browser
	for range 12 {
		b := s.app(d)
		b.join().code(t, "join", 201)
		crowd = append(crowd, b)
	}
	b := s.app(d)
	b.join().code(t, "join", 201)
	crowd = append(crowd, b)
	s.state("open")
	s.until("verdict", func() bool {
		return !strings.Contains(s.browser().own(http.MethodGet, "status").body, `"hopeless_ahead":null`)
	})
	told := map[string]bool{}
	for _, b := range crowd {
		told[b.own(http.MethodGet, "me").field("state")] = true
	}
	if !told["hopeless"] || !told["waiting"] {
		t.Errorf("states are %v, want waiting and hopeless", told)
	}
	b.own(http.MethodPost, "pass").code(t, "pass", 429)
	b.own(http.MethodGet, "status").code(t, "status", 200)
}

func contractOfNothingLeft(t *testing.T, d *contract.Document) {
	s := play(t, plot{stock: 1})
	winner, late := s.app(d).called(), s.app(d).called()
	yes := winner.buy("").want(t, "the last one", 201, "reserved")
	late.buy("").want(t, "late", 409, "sold_out")
	s.state("all_held")
	late.own(http.MethodGet, "me").code(t, "me", 200)
	late.own(http.MethodPost, "pass").code(t, "pass", 429)
	late.own(http.MethodGet, "status").code(t, "status", 200)
	if err := s.gate.Tell(context.Background(), gate.Note{Reservation: yes.field("reservation"), Status: gate.Paid, Version: 2, Qty: 1}); err != nil {
		t.Fatal(err)
	}
	s.state("sold_out")
	late.buy("").want(t, "for good", 409, "sold_out")
	late.own(http.MethodGet, "me").code(t, "me, for good", 200)
	s.app(d).join().code(t, "join, for good", 409)
	winner.buy("", "Idempotency-Key", "another").want(t, "once more", 409, "already_bought")
}

// contractOfPauses: a sale that stands still, by its operators or because its stores
// are away.
func contractOfPauses(t *testing.T, d *contract.Document) {
	server := testserver.StartRedis(t)
	s := play(t, plot{redis: server.URL})
	admitted, called := s.app(d).admitted(), s.app(d).called()
	s.admin(http.MethodPost, "/v1/sales/golden-toy/pause", "", token).want(t, "pause", 200, "ok")
	s.state("paused")
	called.buy("").want(t, "buy", 503, "paused")
	called.own(http.MethodGet, "me").code(t, "me", 200)
	called.own(http.MethodPost, "pass").code(t, "pass", 429)
	s.admin(http.MethodPost, "/v1/sales/golden-toy/resume", "", token).want(t, "resume", 200, "ok")
	s.state("open")
	server.Kill()
	admitted.own(http.MethodGet, "order").want(t, "order", 503, "paused")
	admitted.buy("").want(t, "buy", 503, "paused")
	called.own(http.MethodPost, "pass")
	s.app(d).join()
}

func contractOfProofs(t *testing.T, d *contract.Document) {
	s := play(t, beforeDraw("{proof: true}"))
	b := s.app(d)
	task := b.asks()
	s.app(d).buy("").code(t, "buy", 429)
	s.app(d).join().code(t, "join without", 201)
	b.shows(task).code(t, "join", 201)
	s.app(d).shows(task).want(t, "used", 409, "challenge_spent")
	late := s.app(d)
	for body, code := range map[string]int{"{": 400, strings.Repeat("a", 17<<10): 413} {
		late.do(http.MethodPost, ownPrefix+"ticket", body, "Content-Type", asJSON).code(t, "join", code)
	}
	late.do(http.MethodPost, ownPrefix+"ticket", "x", "Content-Type", "text/plain").code(t, "join", 415)
	late.own(http.MethodGet, "prove").code(t, "prove, for an app", 200)
	s.reader(d).own(http.MethodGet, "prove").code(t, "prove", 200)
	s.reader(d).own(http.MethodGet, "line").code(t, "the page that asks", 200)
	b.own(http.MethodGet, "prove").code(t, "prove with a ticket", 303)
}

func contractOfRefusals(t *testing.T, d *contract.Document) {
	s := play(t, beforeDraw("{proof: true, suspicious: refuse}"))
	s.app(d).join().want(t, "join without", 403, "no_challenge")
	s.reader(d).join().code(t, "join without, by a form", 403)
}

func contractOfAccounts(t *testing.T, d *contract.Document) {
	p := beforeDraw("{proof: true}")
	p.sale, p.config = "one_ticket_per_account: true", p.config+"\nidentity: {header: X-Account}"
	s := play(t, p)
	for _, part := range []string{"ticket", "challenge", "prove"} {
		s.app(d).own(contractParts[part], part).want(t, part, 403, "sign_in")
	}
	s.app(d).buy("").want(t, "buy", 403, "sign_in")
	s.app(d).own(http.MethodPost, "ticket", "X-Account", "anna").code(t, "anna", 201)
	plain := play(t, plot{sale: "one_ticket_per_account: true", config: "identity: {header: X-Account}"})
	plain.reader(d).own(http.MethodGet, "line").code(t, "line", 403)
}

func contractOfLimits(t *testing.T, d *contract.Document) {
	s := play(t, plot{sale: invites, config: "bots: {proof: true}"})
	b := s.app(d)
	late := s.app(d)
	task := late.asks()
	late.shows(task).code(t, "join", 201)
	late.until("called")
	s.reload(func(c *configs.Config) { c.Limits.Address = hourly })
	for range 2 {
		b.get("/cart")
		b.buy("qty=-1")
		b.as(late).own(http.MethodPost, "pass")
		b.join()
	}
	for part, method := range contractParts {
		switch part {
		case "status", "left.js":
			b.do(method, "/.waitroom/no-such-toy/"+part, "").want(t, part, 429, "slow_down")
		default:
			b.own(method, part).code(t, part, 429)
		}
	}
	b.get(link(t, 1, time.Time{})).want(t, "invitation", 429, "slow_down")
	b.get("/.waitroom/language?to=de").want(t, "language", 429, "slow_down")
	b.buy("").want(t, "buy", 429, "slow_down")
}

func contractOfBlocks(t *testing.T, d *contract.Document) {
	const caps = "\nlimits: {address: off, device: off, account: off, block: {join: 1/min, burst: 1}}"
	p := beforeDraw("{suspicious: refuse}")
	p.config += caps
	s := play(t, p)
	s.app(d).join().code(t, "join", 201)
	s.app(d).join().want(t, "join", 429, "block_full")
	s.app(d).buy("").want(t, "buy", 429, "block_full")
	s.reader(d).own(http.MethodGet, "line").code(t, "line", 429)
	p.config = strings.Replace(p.config, "refuse", "behind", 1)
	s = play(t, p)
	s.app(d).join().code(t, "join", 201)
	behind := s.app(d)
	behind.join().code(t, "join behind", 201)
	behind.own(http.MethodGet, "me").code(t, "me behind", 200)
	s.until("who is behind is counted", func() bool { return behind.own(http.MethodGet, "status").field("behind") == "1" })
}

func contractOfInvitations(t *testing.T, d *contract.Document) {
	s := play(t, plot{sale: invites, doors: -time.Minute, opens: time.Hour, closes: 2 * time.Hour})
	b := s.app(d)
	b.own(http.MethodGet, "invite").want(t, "none", 403, "invitation_unknown")
	b.get(link(t, 1, time.Now().Add(-time.Minute))).want(t, "expired", 410, "invitation_expired")
	b.get(link(t, 1, time.Time{}), "Purpose", "preview").code(t, "ahead", 429)
	in := s.app(d)
	in.own(http.MethodPost, "ticket").code(t, "in the draw", 201)
	in.get(link(t, 1, time.Time{}), "Sec-Fetch-Site", "cross-site").want(t, "led there", 200, "ask")
	b.get(link(t, 1, time.Time{})).code(t, "invitation", 303)
	b.own(http.MethodGet, "me").code(t, "me", 200)
	b.own(http.MethodGet, "status").code(t, "status", 200)
}

// contractOfTheUnknown: an edge that has seen nothing of the sale yet.
func contractOfTheUnknown(t *testing.T, d *contract.Document) {
	s := play(t, plot{stock: -1, redis: "redis://127.0.0.1:1/0", sale: invites, config: "bots: {proof: true}"})
	b := s.app(d)
	for part, method := range contractParts {
		if part != "left.js" {
			b.own(method, part).want(t, part, 503, "paused")
		}
	}
	b.buy("").want(t, "buy", 503, "paused")
}

func contractOfARoom(t *testing.T, d *contract.Document) {
	s := play(t, plot{room: narrowRoom, shop: inShop})
	first := s.inside()
	b := s.app(d)
	b.room(http.MethodGet, "status").code(t, "status", 200)
	b.room(http.MethodGet, "me").code(t, "me without a ticket", 200)
	b.room(http.MethodPost, "pass").code(t, "pass without a ticket", 429)
	b.room(http.MethodPost, "ticket", "Purpose", "preview").code(t, "ahead", 429)
	b.room(http.MethodPost, "ticket").code(t, "ticket", 201)
	b.room(http.MethodPost, "ticket").code(t, "ticket again", 200)
	b.room(http.MethodGet, "me").code(t, "me", 200)
	b.room(http.MethodGet, "line", "Accept", asJSON).code(t, "line", 200)
	b.room(http.MethodPost, "pass").code(t, "pass too early", 429)
	b.room(http.MethodGet, "order").code(t, "order", 404)
	first.get("/shop/bye")
	s.until("pass", func() bool { return b.room(http.MethodPost, "pass").StatusCode == 200 })
	b.room(http.MethodPost, "pass").code(t, "pass again", 200)
	b.room(http.MethodGet, "me").code(t, "me inside", 200)
	b.room(http.MethodGet, "status").code(t, "status", 200)
}

// TestContractOfOperators: the same of the admin address and docs/openapi-admin.yaml.
func TestContractOfOperators(t *testing.T) {
	t.Parallel()
	d := contract.Read(t, "openapi-admin.yaml")
	server := testserver.StartRedis(t)
	s := play(t, plot{redis: server.URL, doors: -time.Minute, opens: time.Hour, closes: 2 * time.Hour, sale: "mix: drand round 5213377"})
	ask := func(method, path, body, bearer string, code int) {
		t.Helper()
		r := s.admin(method, path, body, bearer).code(t, method+" "+path+" "+body, code)
		for _, fault := range d.Faults(r.Request, r.StatusCode, r.Header, []byte(r.body)) {
			t.Errorf("%s %s: %s", method, path, fault)
		}
	}
	actions := []struct{ method, path, right, wrong string }{
		{"POST", "/v1/sales/golden-toy/pause", "", ""},
		{"POST", "/v1/sales/golden-toy/resume", "", ""},
		{"PUT", "/v1/sales/golden-toy/rate", `{"admit":"500/s"}`, `{"admit":"500"}`},
		{"PUT", "/v1/sales/golden-toy/message", `{"message":"Back in five minutes"}`, "{"},
		{"PUT", "/v1/sales/golden-toy/mix", drand, `{"value":""}`},
		{"POST", "/v1/cache/purge", "", `{"path":"toys"}`},
		{"GET", "/v1/origin", "", ""},
	}
	for _, a := range actions {
		ask(a.method, a.path, a.right, token, 200)
		ask(a.method, a.path, a.right, "", 401)
		if a.wrong != "" {
			ask(a.method, a.path, a.wrong, token, 400)
		}
		if other := strings.Replace(a.path, "golden", "silver", 1); other != a.path {
			ask(a.method, other, a.right, token, 404)
		}
	}
	ask("PUT", "/v1/sales/golden-toy/message", `{"message":""}`, token, 200)
	ask("PUT", "/v1/sales/golden-toy/mix", `{"value":"another"}`, token, 409)
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		ask("GET", path, "", "", 200)
	}
	server.Kill()
	for _, a := range actions {
		if strings.HasPrefix(a.path, "/v1/sales/") {
			ask(a.method, a.path, a.right, token, 503)
		}
	}
	s.until("not ready", func() bool { return s.edge.Ready() != nil })
	ask("GET", "/readyz", "", "", 503)
	for _, name := range d.Unseen() {
		t.Errorf("%s: in the document but never seen", name)
	}
}
