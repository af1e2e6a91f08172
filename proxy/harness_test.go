package proxy_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/proxy"
	"github.com/waitroom/waitroom/proxy/certs"
	"github.com/waitroom/waitroom/proxy/listen"
)

const (
	host      = "shop.example.com"
	secretOne = "the first secret of these tests, long"
	secretTwo = "another secret of these tests, longer"
	token     = "admin-token-of-the-tests"
)

// plot says what a test's stage is like; the zero value is a sale of ten units
// that is open, behind an in-process Redis.
type plot struct {
	redis  string           // URL; empty: an own miniredis
	shop   http.HandlerFunc // the origin but for its product page; nil: one that greets
	page   http.HandlerFunc // the product page; nil: one that greets
	stock  int              // 0: ten; below 0: no gate
	sale   string           // lines of the sale's file that differ
	config string           // lines of the operator's file that differ
	room   string           // the file of a room; empty: there is none
	doors  time.Duration    // from now; with opens 0: an hour ago
	opens  time.Duration    // from now
	closes time.Duration    // from now; 0: in an hour
	linger time.Duration    // of the server
	atOnce int              // requests at the origin; 0: it adapts
	quiet  bool             // nothing is logged
	plain  bool             // the ordinary server answers all, without the express lane
}

// withoutLane is set where all tests are to be run without the express lane.
const withoutLane = "WAITROOM_TEST_WITHOUT_LANE"

// bothWays runs a test with the express lane and without it.
func bothWays(t *testing.T, test func(t *testing.T, plain bool)) {
	t.Parallel()
	for name, plain := range map[string]bool{"lane": false, "ordinary": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, plain)
		})
	}
}

// stage is one edge with everything around it.
type stage struct {
	t       testing.TB
	dir     string
	cfg     *configs.Config
	rdb     *redis.Client // the edge's
	calls   *calls
	gate    *gate.Gate
	edge    *proxy.Edge
	server  *proxy.Server
	metrics *prometheus.Registry
	log     *journal
	shop    *shop
	ca      *x509.CertPool
	stop    func() // ends the server and waits for it
	stopFor func(cause error)
	leave   func() // ends the edge and waits for it
}

// play sets a stage up and waits until the edge has looked at the sale.
func play(t testing.TB, p plot) *stage {
	t.Helper()
	s := &stage{t: t, dir: t.TempDir(), metrics: prometheus.NewRegistry(), log: &journal{quiet: p.quiet}, calls: &calls{}}
	s.shop = openShop(t, p.shop, p.page)
	if p.redis == "" {
		p.redis = testserver.MiniURL(testserver.Mini(t))
	}
	options, err := redis.ParseURL(p.redis)
	if err != nil {
		t.Fatal(err)
	}
	options.MaxRetries, options.ContextTimeoutEnabled = -1, true
	s.rdb = redis.NewClient(options)
	s.rdb.AddHook(s.calls)
	t.Cleanup(func() { _ = s.rdb.Close() })

	s.cfg = s.load(p)
	s.gate = gate.New(patient(t, options), "golden-toy", s.cfg.Sales[0].Buckets)
	if p.stock >= 0 {
		s.stock(max(p.stock, 0), 1)
	}
	if s.edge, err = proxy.New(s.cfg, s.rdb, s.metrics, s.log.logger()); err != nil {
		t.Fatal(err)
	}
	s.run(p)
	return s
}

// patient is a client of the same Redis for the test's own calls, which may take
// as long as a busy machine needs.
func patient(t testing.TB, edge *redis.Options) *redis.Client {
	options := *edge
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout, options.PoolTimeout = time.Minute, time.Minute, time.Minute, time.Minute
	rdb := redis.NewClient(&options)
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// load writes the files of a plot and reads them. Instants finer than a file's
// are put in afterwards.
func (s *stage) load(p plot) *configs.Config {
	s.t.Helper()
	sale := lines(`sale: golden-toy
title: Golden toy
timezone: Europe/Berlin
doors: 2026-01-01 09:30
opens: 2026-01-01 10:00
closes: 2026-01-01 12:00
product_page: /toys/golden
buy: POST /toys/golden/buy
checkout: /checkout?reservation={reservation}
stock: 10
admit: 2000/s`, p.sale)
	if p.room != "" {
		s.write("room.yaml", p.room)
		p.config = lines(`sales: ["sale.yaml", "room.yaml"]`, p.config)
	}
	operator := lines(`listen: {https: "127.0.0.1:0", http: "127.0.0.1:0", admin: "127.0.0.1:0"}
tls: {mode: internal, domains: [`+host+`]}
origin: {url: "`+s.shop.URL+`"}
secret: "`+secretOne+`"
sales: ["sale.yaml"]
admin: {token: `+token+`}
limits: off`, p.config)
	s.write("sale.yaml", sale)
	s.write("waitroom.yaml", operator)
	now := time.Now()
	cfg, err := configs.Load(filepath.Join(s.dir, "waitroom.yaml"), os.LookupEnv, now)
	if err != nil {
		s.t.Fatal(err)
	}
	if p.opens == 0 && p.doors == 0 {
		p.doors, p.opens = -time.Hour, -time.Hour/2
	}
	if p.closes == 0 {
		p.closes = time.Hour
	}
	cfg.Origin.AtOnce.Most = p.atOnce
	cfg.Listen.Express = !p.plain && os.Getenv(withoutLane) == ""
	one := &cfg.Sales[0]
	one.Doors, one.Opens, one.Closes = now.Add(p.doors), now.Add(p.opens), now.Add(p.closes)
	return cfg
}

// lines are those of text, but for keys that differing also has.
func lines(text, differing string) string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		key, _, _ := strings.Cut(line, ":")
		if !strings.Contains("\n"+differing, "\n"+key+":") {
			out = append(out, line)
		}
	}
	return strings.Join(append(out, differing), "\n") + "\n"
}

func (s *stage) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// keeper keeps the certificates of one server.
func (s *stage) keeper() *certs.Keeper {
	s.t.Helper()
	k, err := certs.New(s.cfg, nil, prometheus.NewRegistry(), s.log.logger())
	if err != nil {
		s.t.Fatal(err)
	}
	return k
}

// run starts edge and server; both have ended when the test has.
func (s *stage) run(p plot) {
	s.t.Helper()
	ready := func() error { return s.server.Ready() }
	sockets, err := listen.Open(proxy.Sockets(s.cfg), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	keeper := s.keeper()
	s.server = proxy.NewServer(s.cfg, sockets, keeper, s.edge, s.edge.Admin(s.metrics, ready), math.MaxUint64, p.linger, s.log.logger())
	pem, err := os.ReadFile(filepath.Join(s.dir, "data", certs.InternalCA))
	if err != nil {
		s.t.Fatal(err)
	}
	s.ca = x509.NewCertPool()
	s.ca.AppendCertsFromPEM(pem)

	front, stopServer := context.WithCancelCause(context.Background())
	behind, stopEdge := context.WithCancel(context.Background())
	served, left := make(chan struct{}), make(chan struct{})
	var kept errgroup.Group
	kept.Go(func() error { return keeper.Run(behind) })
	kept.Go(func() error { return s.edge.RunCache(behind) })
	go func() {
		defer close(left)
		report(s.t, errors.Join(s.edge.Run(behind), kept.Wait()))
	}()
	go func() { defer close(served); report(s.t, s.server.Run(front)) }()
	s.stopFor = func(cause error) { stopServer(cause); <-served }
	s.stop = func() { s.stopFor(nil) }
	s.leave = func() { stopEdge(); <-left }
	s.t.Cleanup(func() { s.stop(); s.leave() })
	if p.stock >= 0 {
		s.until("first look at the sale", func() bool { return s.edge.Ready() == nil })
	}
}

func report(t testing.TB, err error) {
	if err != nil {
		t.Error(err)
	}
}

// stock opens the gate of the sale with so many units, as the ledger would.
func (s *stage) stock(n int, epoch uint64) {
	s.t.Helper()
	if n == 0 {
		n = 10
	}
	s.rebuild(gate.Contents{Epoch: epoch, Total: n})
}

func (s *stage) rebuild(b gate.Contents) {
	s.t.Helper()
	ctx := context.Background()
	if err := s.gate.Close(ctx, "test"); err != nil {
		s.t.Fatal(err)
	}
	if ok, err := s.gate.Rebuild(ctx, "test", b); err != nil || !ok {
		s.t.Fatalf("rebuild gate: %t, %v", ok, err)
	}
}

// until polls for what comes by itself.
func (s *stage) until(what string, ok func() bool) {
	s.t.Helper()
	eventually(s.t, what, ok)
}

// eventually polls for as long as the busiest machine needs.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("%s: did not come", what)
		case <-tick.C:
		}
	}
}

// dial connects to the public listener, whatever name is asked for.
func (s *stage) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, network, s.server.Addr().String())
}

// browser is one shopper with a cookie jar. It follows no redirects by itself.
type browser struct {
	*http.Client
	s    *stage
	html bool // navigates and posts forms, instead of asking as a script
}

func (s *stage) browser() *browser {
	jar, _ := cookiejar.New(nil) // never fails
	transport := &http.Transport{
		DialContext:        s.dial,
		TLSClientConfig:    &tls.Config{RootCAs: s.ca, ServerName: host},
		DisableCompression: true,
		ForceAttemptHTTP2:  true,
	}
	s.t.Cleanup(transport.CloseIdleConnections)
	return &browser{s: s, Client: &http.Client{
		Jar: jar, Transport: transport, Timeout: 30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// person is a browser as people use it.
func (s *stage) person() *browser {
	b := s.browser()
	b.html = true
	return b
}

// reply is an answer, read whole.
type reply struct {
	*http.Response
	body string
}

// do sends a request; fields are name and value in turn.
func (b *browser) do(method, path, body string, fields ...string) reply {
	b.s.t.Helper()
	req, err := http.NewRequest(method, "https://"+host+path, strings.NewReader(body))
	if err != nil {
		b.s.t.Fatal(err)
	}
	if b.html {
		req.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
		req.Header.Set("Sec-Fetch-Mode", "navigate")
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	r, err := b.send(req)
	if err != nil {
		b.s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

func (b *browser) send(req *http.Request) (reply, error) {
	resp, err := b.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return reply{resp, string(body)}, err
}

func (b *browser) get(path string, fields ...string) reply {
	b.s.t.Helper()
	return b.do(http.MethodGet, path, "", fields...)
}

func (b *browser) own(method, part string, fields ...string) reply {
	b.s.t.Helper()
	return b.do(method, "/.waitroom/golden-toy/"+part, "", fields...)
}

func (b *browser) join() reply { b.s.t.Helper(); return b.own(http.MethodPost, "ticket") }

// called joins and waits until it is this shopper's turn.
func (b *browser) called() *browser {
	b.s.t.Helper()
	if r := b.join(); r.StatusCode >= 400 {
		b.s.t.Fatalf("join: %d %s", r.StatusCode, r.body)
	}
	b.until("called")
	return b
}

// admitted joins and takes the pass.
func (b *browser) admitted() *browser {
	b.s.t.Helper()
	b.called()
	b.s.until("pass", func() bool { return b.own(http.MethodPost, "pass").StatusCode < 400 })
	return b
}

// until waits for a state of `me`.
func (b *browser) until(state string) {
	b.s.t.Helper()
	var last string
	defer func() {
		if b.s.t.Failed() {
			b.s.t.Logf("state of me: %s, want %s", last, state)
		}
	}()
	b.s.until("state "+state, func() bool {
		last = b.own(http.MethodGet, "me", "Accept", "application/json", "Sec-Fetch-Mode", "cors").field("state")
		return last == state
	})
}

func (b *browser) buy(body string, fields ...string) reply {
	b.s.t.Helper()
	return b.do(http.MethodPost, "/toys/golden/buy", body, fields...)
}

// cookie is what the jar keeps under a name; empty if nothing.
func (b *browser) cookie(name string) string {
	for _, c := range b.Jar.Cookies(&url.URL{Scheme: "https", Host: host, Path: "/"}) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// plant puts a cookie into the jar.
func (b *browser) plant(name, value string) {
	b.Jar.SetCookies(&url.URL{Scheme: "https", Host: host, Path: "/"},
		[]*http.Cookie{{Name: name, Value: value, Path: "/", Secure: true}})
}

const (
	ticketCookie = "__Host-wr-golden-toy"
	passCookie   = "__Host-wrp-golden-toy"
)

// field is one of a JSON answer's, as text; empty if it is not there.
func (r reply) field(name string) string {
	var all map[string]any
	dec := json.NewDecoder(strings.NewReader(r.body))
	dec.UseNumber()
	if dec.Decode(&all) != nil || all[name] == nil {
		return ""
	}
	return fmt.Sprint(all[name])
}

// want checks status and the JSON's status field.
func (r reply) want(t testing.TB, what string, code int, status string) reply {
	t.Helper()
	if r.StatusCode != code || r.field("status") != status {
		t.Errorf("%s: got %d %s, want %d with status %q", what, r.StatusCode, r.body, code, status)
	}
	return r
}

func (r reply) code(t testing.TB, what string, code int) reply {
	t.Helper()
	if r.StatusCode != code {
		t.Errorf("%s: got %d %.300s, want %d", what, r.StatusCode, r.body, code)
	}
	return r
}

// head checks a field of the answer.
func (r reply) head(t testing.TB, what, name, value string) reply {
	t.Helper()
	if got := r.Header.Get(name); got != value {
		t.Errorf("%s: %s is %q, want %q", what, name, got, value)
	}
	return r
}

// noCookie checks that nothing was set.
func (r reply) noCookie(t testing.TB, what string) reply {
	t.Helper()
	if got := r.Header.Values("Set-Cookie"); len(got) > 0 {
		t.Errorf("%s: sets %q, want no cookie", what, got)
	}
	return r
}

// raw sends bytes over TLS with HTTP/1.1 and reads one answer.
func (s *stage) raw(request string) (*http.Response, string) {
	s.t.Helper()
	conn := s.rawConn()
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, request); err != nil {
		s.t.Fatal(err)
	}
	return readAnswer(s.t, conn, request)
}

func (s *stage) rawConn() *tls.Conn {
	s.t.Helper()
	conn, err := tls.Dial("tcp", s.server.Addr().String(), &tls.Config{RootCAs: s.ca, ServerName: host})
	if err != nil {
		s.t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn
}

// admin asks the admin address.
func (s *stage) admin(method, path, body, bearer string) reply {
	s.t.Helper()
	req, err := http.NewRequest(method, "http://"+s.server.AdminAddr().String()+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{resp, string(got)}
}

// state waits until the shared status shows a state.
func (s *stage) state(want string) {
	s.t.Helper()
	b := s.browser()
	var last reply
	defer func() {
		if s.t.Failed() {
			s.t.Logf("the last status was %s", last.body)
		}
	}()
	s.until("state "+want+" of the sale", func() bool {
		last = b.own(http.MethodGet, "status")
		return last.field("state") == want
	})
}

// left is the stock at the gate.
func (s *stage) left() int {
	s.t.Helper()
	look, err := s.gate.Look(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	return look.Left
}

// shop is the origin: it remembers what it was asked.
type shop struct {
	*httptest.Server
	mu   sync.Mutex
	seen []*http.Request
}

func openShop(t testing.TB, rest, page http.HandlerFunc) *shop {
	t.Helper()
	greet := func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprintf(w, "shop: %s", r.URL.Path) }
	if rest == nil {
		rest = greet
	}
	if page == nil {
		page = greet
	}
	s := &shop{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r)
		s.mu.Unlock()
		if r.URL.Path == "/toys/golden" {
			page(w, r)
			return
		}
		rest(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(s.Close)
	return s
}

// last is the newest request that the origin was sent, but for its product page.
func (s *shop) last(t testing.TB) *http.Request {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range slices.Backward(s.seen) {
		if r.URL.Path != "/toys/golden" {
			return r
		}
	}
	t.Fatal("the origin was not asked")
	return nil
}

// asked counts the requests whose path was one.
func (s *shop) asked(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.seen {
		if r.URL.Path == path {
			n++
		}
	}
	return n
}

// calls counts the commands to Redis that requests have caused: the ticker's do
// not count.
type calls struct {
	n    atomic.Int64
	late atomic.Pointer[func()] // keeps answers that are there back; nil: none
}

func (c *calls) DialHook(next redis.DialHook) redis.DialHook { return next }
func (c *calls) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if ctx.Value(http.ServerContextKey) != nil {
			c.n.Add(1)
			if late := c.late.Load(); late != nil {
				defer (*late)()
			}
		}
		return next(ctx, cmd)
	}
}
func (c *calls) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if ctx.Value(http.ServerContextKey) != nil {
			c.n.Add(int64(len(cmds)))
		}
		return next(ctx, cmds)
	}
}

// journal is what was logged, as it would stand on standard error.
type journal struct {
	mu    sync.Mutex
	out   bytes.Buffer
	quiet bool
}

func (j *journal) logger() *zap.Logger {
	if j.quiet {
		return zap.NewNop()
	}
	enc := zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig())
	return zap.New(zapcore.NewCore(enc, zapcore.AddSync(j), zap.DebugLevel))
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.out.Write(b)
}

// lines are the records with a message so far; each line has to be JSON.
func (j *journal) lines(t testing.TB, message string) []map[string]any {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	var found []map[string]any
	for line := range bytes.Lines(j.out.Bytes()) {
		var one map[string]any
		if err := json.Unmarshal(line, &one); err != nil {
			t.Errorf("log line %q: %v", line, err)
		}
		if one["msg"] == message {
			found = append(found, one)
		}
	}
	return found
}

func (j *journal) text() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.out.String()
}
