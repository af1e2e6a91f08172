package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/internal/testserver"
)

// TestActions: each does what it says and is one line in the log.
func TestActions(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	b := s.browser()
	act := func(method, path, body string) {
		t.Helper()
		before := len(s.log.lines(t, "audit"))
		s.admin(method, path, body, token).want(t, path, http.StatusOK, "ok")
		lines := s.log.lines(t, "audit")
		if len(lines) != before+1 || lines[before]["done"] != true || lines[before]["from"] != "127.0.0.1" {
			t.Errorf("%s: audit is %v, want one more line", path, lines[before:])
		}
	}
	act(http.MethodPost, "/v1/sales/golden-toy/pause", "")
	s.state("paused")
	act(http.MethodPost, "/v1/sales/golden-toy/resume", "")
	s.state("open")
	act(http.MethodPut, "/v1/sales/golden-toy/rate", `{"admit":"30/min"}`)
	s.until("the new rate", func() bool { return b.own(http.MethodGet, "status").field("rate") == "0.5" })
	act(http.MethodPut, "/v1/sales/golden-toy/message", `{"message":"Back in five <b>minutes</b>"}`)
	s.until("the message", func() bool {
		return b.own(http.MethodGet, "status").field("message") == "Back in five <b>minutes</b>"
	})
	p := s.person()
	p.join()
	if page := p.own(http.MethodGet, "line").body; !strings.Contains(page, "Back in five &lt;b&gt;minutes") {
		t.Error("the line's page does not show the message, or not escaped")
	}
	act(http.MethodPost, "/v1/cache/purge", "")
	if text := s.log.text(); strings.Contains(text, token) {
		t.Error("the log shows the token")
	}
}

// TestActionsRefused: who may not, and what cannot be.
func TestActionsRefused(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	for _, test := range []struct {
		method, path, body, bearer string
		want                       int
		says                       string // of a body, what is wrong and what would be right
	}{
		{"POST", "/v1/sales/golden-toy/pause", "", "", 401, ""},
		{"POST", "/v1/sales/golden-toy/pause", "", "wrong", 401, ""},
		{"POST", "/v1/sales/golden-toy/pause", "", token + "x", 401, ""},
		{"POST", "/v1/cache/purge", "", "", 401, ""},
		{"POST", "/v1/sales/silver-toy/pause", "", "wrong", 401, ""},
		{"POST", "/v1/sales/silver-toy/pause", "", token, 404, "there is no sale or room of that name"},
		{"POST", "/v1/sales/golden-toy/stop", "", "wrong", 401, ""},
		{"POST", "/v1/sales/golden-toy/stop", "", token, 404, "there is no such action: sales/{sale}/ has pause, resume, rate, message and mix, cache/ has purge, and origin is one"},
		{"GET", "/v1/sales/golden-toy/pause", "", token, 405, "this action is a POST"},
		{"POST", "/v1/sales/golden-toy/rate", `{"admit":"500/s"}`, token, 405, "this action is a PUT"},
		{"PUT", "/v1/sales/golden-toy/rate", "", token, 400, `bad request: the body is empty, send {"admit":"500/s"}`},
		{"PUT", "/v1/sales/golden-toy/rate", "500/s", token, 400, `bad request: the body is not understood, send {"admit":"500/s"}`},
		{"PUT", "/v1/sales/golden-toy/rate", `{"admit":"500"}`, token, 400, `bad request: admit: "500" has no unit, write 500/s, 500/min or 500/h`},
		{"PUT", "/v1/sales/golden-toy/rate", `{"admit":"0/s"}`, token, 400, "bad request: admit: 0/s is out of bounds, from 1/min to 100000/s"},
		{"PUT", "/v1/sales/golden-toy/rate", `{"admit":"10/h"}`, token, 400, "bad request: admit: 10/h is out of bounds, from 1/min to 100000/s"},
		{"PUT", "/v1/sales/golden-toy/rate", `{"admit":500}`, token, 400, `bad request: admit is not a text, send {"admit":"500/s"}`},
		{"PUT", "/v1/sales/golden-toy/rate", `{"rate":"500/s"}`, token, 400, `bad request: the body is not understood, send {"admit":"500/s"}`},
		{"PUT", "/v1/sales/golden-toy/rate", `{"admit":"500/s"}{"admit":"1/s"}`, token, 400, `bad request: more than one object, send {"admit":"500/s"}`},
		{"PUT", "/v1/sales/golden-toy/message", `{"message":"` + strings.Repeat("x", 501) + `"}`, token, 400, "bad request: message: at most 500 bytes of UTF-8"},
		{"PUT", "/v1/sales/golden-toy/message", `{"message":"Back \u202enoos"}`, token, 400, "bad request: message: holds U+202E: send one line, without what turns the direction of text"},
		{"PUT", "/v1/sales/golden-toy/message", `{"message":"Back\nsoon"}`, token, 400, "bad request: message: holds U+000A: send one line, without what turns the direction of text"},
		{"PUT", "/v1/sales/golden-toy/message", `{"message":"` + strings.Repeat("x", 5000) + `"}`, token, 400, `bad request: the body has more than 4096 bytes, send {"message":"Back in five minutes"}`},
		{"PUT", "/v1/sales/golden-toy/mix", `{"value":""}`, token, 400, "bad request: value: a public value is 1 to 500 bytes of UTF-8, without invisible characters, and without blanks at its ends"},
		{"PUT", "/v1/sales/golden-toy/mix", `{"value":"7"}`, token, 400, "bad request: mix draw: the sale names no public value"},
	} {
		before := len(s.log.lines(t, "audit"))
		r := s.admin(test.method, test.path, test.body, test.bearer).code(t, test.method+" "+test.path+" "+test.body, test.want)
		if says := r.field("error"); test.says != "" && says != test.says {
			t.Errorf("%s %s: got %q, want %q", test.path, test.body, says, test.says)
		}
		lines := s.log.lines(t, "audit")[before:]
		if len(lines) != 1 || lines[0]["done"] != false || lines[0]["error"] == nil || lines[0]["from"] != "127.0.0.1" {
			t.Errorf("%s, %d: audit is %v, want one line that says it was not done", test.path, test.want, lines)
		}
		if test.want == 405 {
			r.head(t, test.path, "Allow", strings.TrimPrefix(test.says, "this action is a "))
		}
		if test.want == 401 {
			r.head(t, test.path, "WWW-Authenticate", "Bearer")
		}
	}
	bare := play(t, plot{config: "admin: {}"})
	bare.admin(http.MethodPost, "/v1/sales/golden-toy/pause", "", "").code(t, "without a token set", http.StatusUnauthorized)
}

// TestHealth: alive without Redis, but not ready; never in the queue.
func TestHealth(t *testing.T) {
	t.Parallel()
	server := testserver.StartRedis(t)
	s := play(t, plot{redis: server.URL})
	s.admin(http.MethodGet, "/healthz", "", "").code(t, "healthz", http.StatusOK).noCookie(t, "healthz")
	s.admin(http.MethodGet, "/readyz", "", "").code(t, "readyz", http.StatusOK).noCookie(t, "readyz")
	s.browser().get("/healthz").code(t, "healthz of the shop", http.StatusOK)
	if n := s.shop.asked("/healthz"); n != 1 {
		t.Errorf("the origin saw %d requests for its own /healthz, want 1", n)
	}
	server.Kill()
	s.until("not ready", func() bool {
		return s.admin(http.MethodGet, "/readyz", "", "").StatusCode == http.StatusServiceUnavailable
	})
	s.admin(http.MethodGet, "/healthz", "", "").code(t, "healthz without Redis", http.StatusOK)
	s.admin(http.MethodPost, "/v1/sales/golden-toy/pause", "", token).code(t, "pause without Redis", http.StatusServiceUnavailable)
	server.Start()
	s.stock(10, 9)
	s.until("ready", func() bool { return s.admin(http.MethodGet, "/readyz", "", "").StatusCode == http.StatusOK })
}

// TestMetrics: what operators draw is there, and clients cannot add to it.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	b := s.browser()
	b.called().buy("")
	series := func() int { return strings.Count(s.admin(http.MethodGet, "/metrics", "", "").body, "\nwaitroom_") }
	s.raw("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
	s.browser().get("/cart", "X", "y")
	s.raw("BREW / HTTP/1.1\r\nHost: evil0.example.com\r\nConnection: close\r\n\r\n")
	before := series()
	for i := range 30 {
		name := strings.Repeat("x", i)
		s.raw("BREW" + name + " /" + name + " HTTP/1.1\r\nHost: " + name + ".example.com\r\nConnection: close\r\n\r\n")
		b.get("/"+name, "User-Agent", name)
	}
	if after := series(); after != before {
		t.Errorf("%d series became %d", before, after)
	}
	s.until("the gauges", func() bool {
		return strings.Contains(s.admin(http.MethodGet, "/metrics", "", "").body, `waitroom_stock_left{sale="golden-toy"} 9`)
	})
	text := s.admin(http.MethodGet, "/metrics", "", "").body
	for _, line := range []string{
		`waitroom_entries_total{sale="golden-toy"} 1`, `waitroom_passes_total{sale="golden-toy"} 1`,
		`waitroom_holds_total{again="false",sale="golden-toy"} 1`, `waitroom_gate_closed{sale="golden-toy"} 0`,
		`waitroom_requests_total{decision="reserved",status="201"} 1`, `waitroom_entered{sale="golden-toy"} 1`,
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("metrics have no line %s", line)
		}
	}
}

// TestRecords: one line a request, whatever is in it.
func TestRecords(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	b := s.browser()
	b.called()
	b.buy("qty=1", "Idempotency-Key", "k1")
	secrets := []string{b.cookie(ticketCookie), b.cookie(passCookie)}
	was := len(s.log.lines(t, "request"))
	hostile := []string{"/%0a%7B%22level%22:%22error%22%7D", "/%1b%5B31mred", "/\xff\xfe\"\\", "/" + strings.Repeat("a", 20_000), "/x?password=hunter2"}
	for _, path := range hostile {
		s.raw("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: \xff\"}\r\nConnection: close\r\n\r\n")
	}
	s.until("a record of each", func() bool { return len(s.log.lines(t, "request")) >= was+len(hostile) })
	for _, line := range s.log.lines(t, "request") {
		if path, _ := line["path"].(string); len(path) > 200 {
			t.Errorf("a path of %d bytes is logged", len(path))
		}
		for _, name := range []string{"method", "status", "bytes", "took", "decision", "proto"} {
			if line[name] == nil || line[name] == "" {
				t.Errorf("record %v has no %s", line, name)
			}
		}
	}
	text := s.log.text()
	for _, secret := range append(secrets, "hunter2", "\x1b") {
		if strings.Contains(text, secret) {
			t.Errorf("the log shows %q", secret)
		}
	}
	// A page, a verdict, a place, a hold, the origin and an error: one each.
	was = len(s.log.lines(t, "request"))
	b.get("/toys/golden")
	b.own(http.MethodGet, "status")
	b.own(http.MethodGet, "line")
	b.buy("")
	b.get("/cart")
	b.get("/.waitroom/x")
	s.stop() // what is under way has ended, and is recorded
	if got := len(s.log.lines(t, "request")) - was; got != 6 {
		t.Errorf("6 requests made %d records", got)
	}
}
