package proxy_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/net/http2/hpack"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/proxy/express"
)

// said is an answer as it was heard, with what was noted of it.
type said struct {
	status int
	fields []string // sorted, without those of the connection
	body   string
	noted  string // its record
	counts string // what metrics it moved
}

// question is a request of the table.
type question struct {
	method, target string
	fields         []string // name and value in turn
}

func (q question) String() string { return fmt.Sprint(q.method, " ", q.target, " ", q.fields) }

// anyway are the parts of an answer that differ from one to the next for the same asker:
// waits that are spread, so that a crowd does not come back together, and clocks.
var anyway = []struct {
	re *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`"poll_after_ms":\d+`), `"poll_after_ms":0`},
	{regexp.MustCompile(`"now":\d+`), `"now":0`},
	{regexp.MustCompile(`data-refresh="\d+"`), `data-refresh="0"`},
	{regexp.MustCompile(`content="\d+(;[^"]*)?"`), `content="0"`},
	{regexp.MustCompile(`data-seconds="\d+"[^<]*<[^<]*<`), `data-seconds`},
	{regexp.MustCompile(`Retry-After: \d+`), `Retry-After: 0`},
	{regexp.MustCompile(`Age: \d+`), `Age: 0`},
	{regexp.MustCompile(`__Host-wrf-golden-toy=[^;]+`), `__Host-wrf-golden-toy=`},
}

func alike(s string) string {
	for _, a := range anyway {
		s = a.re.ReplaceAllString(s, a.by)
	}
	return s
}

// both asks an edge on both ways.
type both struct {
	*stage
	server *httptest.Server
	conn   net.Conn // of this process, to name a peer
}

func (s *stage) both() *both {
	b := &both{stage: s, server: httptest.NewServer(s.edge)}
	b.server.Config.ErrorLog = nil
	s.t.Cleanup(b.server.Close)
	conn, err := net.Dial("tcp", b.server.Listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	b.conn = conn
	return b
}

// heard runs what asks, and tells what was noted meanwhile.
func (b *both) heard(ask func() (said, bool)) (said, bool) {
	b.t.Helper()
	lines, counts := len(b.log.lines(b.t, "request")), b.counts()
	s, ok := ask()
	if !ok {
		return s, false
	}
	b.until("a record", func() bool { return len(b.log.lines(b.t, "request")) > lines })
	line := b.log.lines(b.t, "request")[lines]
	for _, name := range []string{"ts", "took", "proto", "level", "logger"} {
		delete(line, name)
	}
	path := line["path"].(string)
	page := slices.Contains(s.fields, "Content-Type: text/html; charset=utf-8") && path != pagePath
	if page || strings.HasSuffix(path, "/me") || strings.HasSuffix(path, "/line") || strings.HasSuffix(path, "/ticket") { // of which the length varies
		if int64(len(s.body)) != int64(line["bytes"].(float64)) {
			b.t.Errorf("%v bytes in the record of an answer with %d", line["bytes"], len(s.body))
		}
		delete(line, "bytes")
		s.fields = slices.DeleteFunc(s.fields, func(f string) bool { return strings.HasPrefix(f, "Content-Length") })
	}
	if strings.HasSuffix(path, "/status") { // which is another one four times a second
		s.fields = slices.DeleteFunc(s.fields, func(f string) bool { return strings.HasPrefix(f, "Etag") })
	}
	s.noted = fmt.Sprint(line)
	var moved []string
	for name, n := range b.counts() {
		if d := n - counts[name]; d != 0 {
			moved = append(moved, fmt.Sprintf("%s +%v", name, d))
		}
	}
	slices.Sort(moved)
	s.counts = strings.Join(moved, ", ")
	if slices.Contains(s.fields, "Content-Encoding: gzip") && s.body != "" {
		z, err := gzip.NewReader(strings.NewReader(s.body))
		if err != nil {
			b.t.Fatal(err)
		}
		body, err := io.ReadAll(z)
		if err != nil {
			b.t.Fatal(err)
		}
		s.body = string(body)
	}
	s.body = alike(s.body)
	for i := range s.fields {
		s.fields[i] = alike(s.fields[i])
	}
	slices.Sort(s.fields)
	return s, true
}

// counts are the counters that requests move.
func (b *both) counts() map[string]float64 {
	b.t.Helper()
	families, err := b.metrics.Gather()
	if err != nil {
		b.t.Fatal(err)
	}
	all := map[string]float64{}
	for _, f := range families {
		name := f.GetName()
		if !slices.Contains([]string{"waitroom_requests_total", "waitroom_requests_limited_total", "waitroom_cache_requests_total", "waitroom_entries_total"}, name) {
			continue
		}
		for _, m := range f.GetMetric() {
			all[fmt.Sprint(name, m.GetLabel())] = m.GetCounter().GetValue()
		}
	}
	return all
}

// ofConnection are the fields that the way writes, not the answer.
var ofConnection = []string{"Date", "Connection", "Transfer-Encoding"}

// ordinary asks by way of net/http.
func (b *both) ordinary(q question) said {
	b.t.Helper()
	s, _ := b.heard(func() (said, bool) {
		conn, err := net.Dial("tcp", b.server.Listener.Addr().String())
		if err != nil {
			b.t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		var text strings.Builder
		fmt.Fprintf(&text, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", q.method, q.target, host)
		for i := 0; i < len(q.fields); i += 2 {
			fmt.Fprintf(&text, "%s: %s\r\n", q.fields[i], q.fields[i+1])
		}
		if q.method == http.MethodPost {
			text.WriteString("Content-Length: 0\r\n")
		}
		if _, err := io.WriteString(conn, text.String()+"\r\n"); err != nil {
			b.t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: q.method})
		if err != nil {
			b.t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			b.t.Fatal(err)
		}
		s := said{status: resp.StatusCode, body: string(body)}
		for name, values := range resp.Header {
			if slices.Contains(ofConnection, name) {
				continue
			}
			for _, value := range values {
				s.fields = append(s.fields, name+": "+value)
			}
		}
		return s, true
	})
	return s
}

// express asks the desk; ok is false where the request goes on.
func (b *both) express(q question, http2 bool) (s said, ok bool) {
	b.t.Helper()
	r, over := b.request(q, http2)
	return b.heard(func() (said, bool) {
		defer over()
		a := b.edge.Answer(r)
		if a == nil {
			return said{}, false
		}
		return b.read(r, a), true
	})
}

// request is one whose texts lie in one piece of memory, as on the lane; over writes
// something else there, as the next request does.
func (b *both) request(q question, http2 bool) (r *express.Request, over func()) {
	var text []byte
	at := []int{0}
	for _, s := range append([]string{q.method, host, q.target}, q.fields...) {
		if n := len(at) - 4; n >= 0 && n%2 == 0 { // the name of a field
			s = strings.ToLower(s)
		}
		text = append(text, s...)
		at = append(at, len(text))
	}
	all := unsafe.String(unsafe.SliceData(text), len(text))
	piece := func(i int) string { return all[at[i]:at[i+1]] }
	r = &express.Request{Method: piece(0), Authority: piece(1), Target: piece(2), HTTP2: http2, Conn: b.conn}
	for i := 3; i+1 < len(at)-1; i += 2 {
		r.Fields = append(r.Fields, express.Field{Name: piece(i), Value: piece(i + 1)})
	}
	return r, func() {
		for i := range text {
			text[i] = '#'
		}
	}
}

// read is an answer as the lane would write it.
func (b *both) read(r *express.Request, a *express.Answer) said {
	b.t.Helper()
	s := said{status: a.Status}
	if r.Method != http.MethodHead {
		s.body = string(a.Body)
	}
	if r.HTTP2 {
		d := hpack.NewDecoder(4096, nil)
		fields, err := d.DecodeFull(a.Head2)
		if err != nil || fields[0].Name != ":status" || fields[0].Value != fmt.Sprint(a.Status) {
			b.t.Fatalf("%s: %q, %v", r.Target, fields, err)
		}
		for _, f := range fields[1:] {
			if f.Name != strings.ToLower(f.Name) {
				b.t.Errorf("%s: field %q", r.Target, f.Name)
			}
			if name := http.CanonicalHeaderKey(f.Name); !slices.Contains(ofConnection, name) {
				s.fields = append(s.fields, name+": "+f.Value)
			}
		}
		if _, err := d.DecodeFull([]byte{0x80 | 62}); err == nil {
			b.t.Errorf("%s: the head puts something into the table", r.Target)
		}
	} else {
		date := "Date: Mon, 30 Nov 2026 07:00:00 GMT\r\n"
		if a.Dated {
			date = ""
		}
		text := string(a.Head1) + date + "\r\n"
		resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(text+s.body)), &http.Request{Method: r.Method})
		if err != nil {
			b.t.Fatalf("%s: %v in %q", r.Target, err, text)
		}
		if got, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(got, []byte(s.body)) {
			b.t.Errorf("%s: %d bytes, %v; want %d", r.Target, len(got), err, len(s.body))
		}
		for name, values := range resp.Header {
			if slices.Contains(ofConnection, name) {
				continue
			}
			for _, value := range values {
				s.fields = append(s.fields, name+": "+value)
			}
		}
		if len(resp.Header["Date"]) != 1 {
			b.t.Errorf("%s: dates %q", r.Target, resp.Header["Date"])
		}
	}
	b.edge.Done(r, a, len(s.body))
	return s
}

// same asks both ways, and wants the same; where nothing is said at once it wants
// that too, if onward says so.
func (b *both) same(q question, onward bool) {
	b.t.Helper()
	var a, e said
	for range 5 { // the line may have moved in between
		a = b.ordinary(q)
		for _, http2 := range []bool{false, true} {
			var ok bool
			if e, ok = b.express(q, http2); ok == onward {
				for _, line := range b.log.lines(b.t, "express lane panicked") {
					b.t.Log(line)
				}
				b.t.Errorf("%v: answered at once: %t, want %t", q, ok, !onward)
				return
			}
			if onward {
				return
			}
			if fmt.Sprint(a) != fmt.Sprint(e) {
				break
			}
		}
		if fmt.Sprint(a) == fmt.Sprint(e) {
			return
		}
	}
	b.t.Errorf("%v:\n net/http %s\n express  %s", q, a.short(), e.short())
}

func (s said) short() string {
	return fmt.Sprintf("%d %q, %d bytes %.200q, %s, %s", s.status, s.fields, len(s.body), s.body, s.noted, s.counts)
}

const (
	ownPath  = "/.waitroom/golden-toy/"
	pagePath = "/toys/golden"
)

var navigates = []string{"Accept", "text/html,*/*;q=0.8", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}

// of is a question with some fields, of which each is a list of names and values.
func of(method, target string, fields ...[]string) question {
	return question{method, target, slices.Concat(fields...)}
}

func f(fields ...string) []string { return fields }

// TestDeskIsTheHandler: what is answered on the express lane is what net/http would have
// been given, to the field, the record and the counters, in a sale that is open.
func TestDeskIsTheHandler(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: "cors: {origins: [\"https://app.example.net\"]}\nlanguages: [en, de, fr]", page: packedPage})
	waiting, called, bought := s.browser(), s.browser(), s.browser().admitted()
	bought.buy("").want(t, "buy", http.StatusCreated, "reserved")
	called.called()
	waiting.join()
	_ = s.browser().get(pagePath)
	b := s.both()
	mine := func(of *browser) []string { return f("Cookie", ticketCookie+"="+of.cookie(ticketCookie)) }
	s.until("page in all codings", func() bool {
		return s.browser().get(pagePath, "Accept-Encoding", "br").Header.Get("Content-Encoding") == "br"
	})
	tag := s.browser().get(pagePath).Header.Get("Etag")
	for _, q := range []question{
		of("GET", ownPath+"status"), of("HEAD", ownPath+"status"), of("GET", ownPath+"status?x=1", f("If-None-Match", "*")),
		of("GET", ownPath+"status", f("If-None-Match", `W/"a", "b"`), f("Origin", "https://app.example.net")),
		of("POST", ownPath+"status"), of("DELETE", ownPath+"status"), of("GET", ownPath+"left.js"), of("HEAD", ownPath+"left.js"),
		of("POST", ownPath+"left.js", navigates), of("GET", ownPath+"left.js", f("If-None-Match", "*")),
		of("GET", pagePath), of("HEAD", pagePath), of("GET", pagePath+"?size=42"), of("GET", pagePath, f("Accept-Encoding", "gzip")),
		of("GET", pagePath, f("Accept-Encoding", "gzip, deflate, br, zstd")), of("HEAD", pagePath, f("Accept-Encoding", "br;q=0.5, gzip;q=0.1")),
		of("GET", pagePath, f("Accept-Encoding", "zstd"), f("Accept-Encoding", "br;q=0")), of("GET", pagePath, f("Accept-Encoding", "*;q=0")),
		of("GET", pagePath, f("If-None-Match", tag)), of("GET", pagePath, f("If-None-Match", "W/"+tag, "Accept-Encoding", "gzip")),
		of("GET", pagePath, f("If-None-Match", `"x"`, "If-None-Match", tag)), of("GET", pagePath, f("If-Modified-Since", "Mon, 01 Jan 2035 00:00:00 GMT")),
		of("HEAD", pagePath, f("If-Modified-Since", "no date")), of("GET", pagePath, f("Cache-Control", "no-transform", "Accept-Encoding", "br")),
		of("GET", pagePath, mine(waiting)), of("GET", pagePath, f("Cookie", "session=1; a=b")),
		of("GET", ownPath+"me"), of("HEAD", ownPath+"me"), of("GET", ownPath+"me", mine(waiting)), of("GET", ownPath+"me", mine(called)),
		of("HEAD", ownPath+"me", mine(called)), of("GET", ownPath+"me?joined", mine(called), f("Accept", "application/json")),
		of("GET", ownPath+"me", f("Cookie", ticketCookie+"=forged")), of("GET", ownPath+"me", f("Cookie", ticketCookie+"=forged; x=y"), mine(called)),
		of("GET", ownPath+"me", f("Cookie", `a=1; `+ticketCookie+`="`+called.cookie(ticketCookie)+`"; b`)),
		of("GET", ownPath+"me", f("Cookie", ticketCookie+"="+called.cookie(ticketCookie)+"x")), of("GET", ownPath+"me", f("Cookie", passCookie+"=none")),
		of("GET", ownPath+"me", mine(called), f("Origin", "https://app.example.net")), of("GET", ownPath+"me", mine(called), f("Origin", "https://evil.example")),
		of("GET", ownPath+"me", mine(called), f("Origin", "https://"+host)), of("GET", ownPath+"me", mine(called), navigates),
		of("POST", ownPath+"me", mine(called)), of("POST", ownPath+"me", navigates, f("Accept-Language", "de")), of("PUT", ownPath+"me", f("Accept-Encoding", "gzip"), navigates),
		of("DELETE", ownPath+"line", f("Accept-Language", "fr;q=0.9, de;q=0.1"), navigates), of("POST", ownPath+"line", f("X-Requested-With", "x", "Accept", "text/html")),
		of("GET", ownPath+"ticket"), of("GET", ownPath+"ticket", navigates, f("Accept-Encoding", "gzip, br")), of("POST", ownPath+"ticket", mine(called)),
		of("POST", ownPath+"ticket", mine(called), navigates), of("POST", ownPath+"ticket", mine(waiting), f("Origin", "https://app.example.net")),
		of("GET", ownPath+"challenge"), of("GET", ownPath+"prove", navigates), of("GET", ownPath+"invite"), of("HEAD", ownPath+"invite", navigates, f("Accept-Language", "de-CH")),
		of("GET", ownPath+"line", mine(called)), of("GET", ownPath+"line"), of("GET", ownPath+"line", f("User-Agent", "Googlebot/2.1"), navigates),
		of("GET", ownPath+"line", f("Cookie", "__Host-wr-lang=fr; "+ticketCookie+"="+called.cookie(ticketCookie)), navigates),
		of("GET", ownPath+"line", mine(called), navigates), of("HEAD", ownPath+"line", mine(called), navigates), of("GET", ownPath+"line", mine(called), navigates, f("Accept-Encoding", "gzip")),
		of("POST", ownPath+"order"), of("GET", ownPath+"pass"), of("GET", ownPath+"pass", navigates),
	} {
		b.same(q, false)
	}
	for _, q := range []question{
		of("GET", pagePath, f("Range", "bytes=0-9")), of("POST", pagePath), of("GET", "/"), of("GET", "/toys/golden/"), of("GET", "//toys/golden"), of("GET", "/toys/g%6flden"),
		of("OPTIONS", ownPath+"me", f("Origin", "https://app.example.net", "Access-Control-Request-Method", "GET")),
		of("GET", ownPath+"order", mine(called)), of("POST", "/toys/golden/buy", mine(called)), of("POST", "/toys/golden/buy"),
		of("GET", ownPath+"me", f("Cookie", ticketCookie+"="+bought.cookie(ticketCookie)+"; "+passCookie+"="+bought.cookie(passCookie))),
		of("GET", ownPath+"line", navigates, f("Sec-Fetch-Dest", "iframe"), f("Cookie", "x=y")), of("POST", ownPath+"ticket"), of("GET", ownPath+"line", navigates),
		of("GET", ownPath+"me", f("Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe")), of("GET", "/.waitroom/language?to=de"), of("GET", "/.waitroom/nothing/status"),
	} {
		if _, ok := b.express(q, false); ok {
			t.Errorf("%v: answered at once, want it to go on", q)
		}
	}
}

// packedPage is a product page that pays to be packed.
func packedPage(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "max-age=600")
	w.Header().Set("X-Shop", "1")
	_, _ = io.WriteString(w, strings.Repeat("<p>A golden toy, half price.</p>", 80))
}

// visits is what is asked on every stage, in the name of somebody with a ticket, of
// nobody, and of who has more, if anybody has.
func visits(cookies ...string) (all []question) {
	for _, cookie := range append(cookies, "") {
		who := f("Cookie", cookie)
		for _, how := range [][]string{
			f("Accept", "*/*"), navigates, slices.Concat(navigates, f("Accept-Encoding", "gzip", "Accept-Language", "de")),
		} {
			for _, part := range []string{"me", "line", "status", "ticket", "order"} {
				all = append(all, of("GET", ownPath+part, who, how))
			}
			all = append(all, of("HEAD", ownPath+"line", who, how), of("POST", ownPath+"ticket", who, how), of("POST", "/toys/golden/buy", who, how), of("PUT", "/toys/golden/buy?qty=2", who, how))
		}
	}
	return all
}

// TestDeskInEachState: where the desk answers, it answers as net/http would; where it
// does not, the request changes something, or asks the stores.
func TestDeskInEachState(t *testing.T) {
	t.Parallel()
	languages := "languages: [en, de]"
	for name, test := range map[string]struct {
		plot  plot
		state string
		most  int // questions that go on
	}{
		"before the doors": {plot{doors: time.Hour, opens: 2 * time.Hour, closes: 3 * time.Hour, sale: languages}, "scheduled", 30},
		"in the lottery":   {plot{doors: -time.Hour, opens: time.Hour, closes: 3 * time.Hour, sale: languages}, "doors", 30},
		"waiting":          {plot{sale: languages + "\nadmit: 1/min\nburst: 1"}, "open", 30},
		"over":             {plot{doors: -3 * time.Hour, opens: -2 * time.Hour, closes: -time.Hour, sale: languages}, "ended", 30},
		"paused":           {plot{stock: -1, sale: languages}, "paused", 30},
		"above limits":     {plot{sale: languages, config: "limits: {address: {request: 1/h, join: 1000/s, buy: 1000/s}, device: {request: 1/h, buy: 1/h}}"}, "open", 40},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, test.plot)
			s.state(test.state)
			var who []string
			if test.state == "open" || test.state == "doors" {
				var last *browser
				for range 3 {
					last = s.browser()
					last.join()
				}
				who = append(who, ticketCookie+"="+last.cookie(ticketCookie))
			}
			b := s.both()
			b.agree(visits(who...), test.most)
		})
	}
}

// agree asks all both ways, where the desk has an answer.
func (b *both) agree(all []question, most int) {
	b.t.Helper()
	onward := 0
	for _, q := range all {
		if _, ok := b.express(q, false); !ok {
			onward++
			continue
		}
		b.same(q, false)
	}
	if onward > most {
		b.t.Errorf("%d of %d requests go on, want %d at most", onward, len(all), most)
	}
}

// TestDeskSoldOut: while units may come back, and when they do not.
func TestDeskSoldOut(t *testing.T) {
	t.Parallel()
	s := play(t, plot{stock: 1, sale: "languages: [en, de]"})
	winner, late := s.browser().called(), s.browser()
	late.join()
	r := winner.buy("").want(t, "buy", http.StatusCreated, "reserved")
	s.state("all_held")
	who := []string{
		ticketCookie + "=" + late.cookie(ticketCookie),
		ticketCookie + "=" + winner.cookie(ticketCookie) + "; " + passCookie + "=" + winner.cookie(passCookie),
	}
	b := s.both()
	b.agree(visits(who...), 50)
	if err := s.gate.Tell(t.Context(), gate.Note{Reservation: r.field("reservation"), Status: gate.Paid, Version: 2, Qty: 1}); err != nil {
		t.Fatal(err)
	}
	s.state("sold_out")
	b.agree(visits(who...), 40)
}

// TestDeskTakesBack what it counted of an answer that did not go out, and notes nothing.
func TestDeskTakesBack(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: "limits: {address: {request: 1/h}}"})
	b := s.both()
	me, counts := of("GET", ownPath+"me"), b.counts()
	for range 5 {
		r, over := b.request(me, false)
		a := b.edge.Answer(r)
		if a == nil || a.Status != http.StatusOK {
			t.Fatalf("got %+v, want 200", a)
		}
		b.edge.Done(r, a, -1)
		over()
	}
	if got := b.counts(); !maps.Equal(got, counts) || len(b.log.lines(t, "request")) > 0 {
		t.Errorf("counted %v and noted %v, want nothing", got, b.log.lines(t, "request"))
	}
	_ = s.browser().get(pagePath)
	counts = b.counts()
	r, over := b.request(of("GET", pagePath), true)
	a := b.edge.Answer(r)
	if a == nil || a.Status != http.StatusOK {
		t.Fatalf("the page: got %+v, want 200", a)
	}
	b.edge.Done(r, a, -1)
	over()
	if got := b.counts(); !maps.Equal(got, counts) {
		t.Errorf("counted %v of a page that was not given, want %v", got, counts)
	}
	for _, want := range []int{http.StatusOK, http.StatusTooManyRequests} {
		if got, _ := b.express(me, true); got.status != want {
			t.Errorf("got %d, want %d", got.status, want)
		}
	}
}

// TestDeskKeepsFloodsOff: who asks too often is told so without the server, whatever is
// asked for.
func TestDeskKeepsFloodsOff(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: "limits: {address: {request: 1/h}}"})
	b := s.both()
	b.express(of("GET", ownPath+"me"), false) // takes the only token
	for target, want := range map[string]int{
		"/": 429, "/any/where?x=%20": 429, "/.waitroom/nothing": 429, "/toys/golden/": 0, "/toys/g%6Flden/buy": 429, "/a\"b": 429, "/a/\xff%c3%a4": 429, ownPath + "me": 429, ownPath + "status": 200, ownPath + "line": 429,
	} {
		q := of("GET", target)
		got, ok := b.express(q, false)
		if got.status != want || ok != (want != 0) {
			t.Errorf("%s: %d, answered at once: %t, want %d", target, got.status, ok, want)
		}
		if want == 429 {
			b.same(q, false)
		}
	}
}

// TestDeskKeepsNoText of a request: whoever asks the same again on the lane, first of all
// and after others, is told the same as by net/http.
func TestDeskKeepsNoText(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: "languages: [en, de, fr]", sale: "languages: [en, de, fr]"})
	b := s.both()
	lang, framed := f("Cookie", languageCookie+"=fr", "Accept-Language", "de"), f("Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe")
	asked := []question{
		of("POST", ownPath+"me", navigates, lang), of("DELETE", ownPath+"ticket?there", navigates, lang),
		of("GET", ownPath+"line", navigates, lang, f("User-Agent", "Googlebot/2.1")),
	}
	for _, q := range append(asked, asked...) {
		got, _ := b.express(q, false)
		if !slices.Contains(got.fields, "Content-Language: fr") || !strings.Contains(got.body, `<html lang="fr"`) {
			t.Errorf("%v: %s, want it in French", q, got.short())
		}
	}
	for _, q := range asked {
		b.same(q, false)
	}
	for i := range 4 {
		b.same(of("DELETE", fmt.Sprintf("%sticket?number=%d", ownPath, i), navigates, framed, lang), false)
	}
}

// TestDeskSniffs: a page of which the shop does not say what it is has the type that
// net/http finds in it.
func TestDeskSniffs(t *testing.T) {
	t.Parallel()
	s := play(t, plot{page: func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		w.Header().Set("Cache-Control", "max-age=600")
		_, _ = io.WriteString(w, "<!doctype html><title>A golden toy</title>")
	}})
	_ = s.browser().get(pagePath)
	b := s.both()
	got, _ := b.express(of("GET", pagePath), false)
	if !slices.Contains(got.fields, "Content-Type: text/html; charset=utf-8") {
		t.Errorf("got %s, want its type", got.short())
	}
	for _, method := range []string{"GET", "HEAD"} {
		b.same(of(method, pagePath), false)
	}
}
