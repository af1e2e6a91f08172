package ledger_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/ledger"
)

const token = "a worker's token"

// shop is a sale with its gate, its books and a worker that does nothing until
// it is told to.
type shop struct {
	testing.TB
	books   *ledger.Books
	rdb     redis.UniversalClient
	gate    *gate.Gate
	sale    *configs.Sale
	section configs.Worker
	log     *zap.Logger
	worker  *ledger.Worker
	keep    func(context.Context) error // a keeper's next step
	api     http.Handler
}

// each runs a test on both pairs of stores.
func each(t *testing.T, stock int, test func(*shop)) {
	t.Parallel()
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		books, err := ledger.OpenPostgres(configs.NewSecret(testserver.Postgres(t)))
		check(t, err)
		test(newShop(t, books, testserver.Redis(t), stock))
	})
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		books, err := ledger.OpenSQLite(t.Context(), t.TempDir())
		check(t, err)
		test(newShop(t, books, testserver.MiniURL(testserver.Mini(t)), stock))
	})
}

func newShop(t testing.TB, books *ledger.Books, redisURL string, stock int) *shop {
	t.Helper()
	t.Cleanup(func() { check(t, books.Close()) })
	check(t, books.Migrate(t.Context()))
	options, err := redis.ParseURL(redisURL)
	check(t, err)
	options.MaxRetries = -1
	rdb := redis.NewClient(options)
	t.Cleanup(func() { check(t, rdb.Close()) })
	key := "toy-" + uuid.NewString()[:8]
	s := &shop{
		TB: t, log: zaptest.NewLogger(t), books: books, rdb: rdb,
		sale: liveSale(key, stock),
		section: configs.Worker{
			Name: "one", Token: configs.NewSecret(token), OrdersPerSecond: 100000, MaxBacklog: 10000,
		},
	}
	s.begin(1)
	return s
}

// begin gives the shop a gate of so many buckets and a worker that has done
// nothing yet.
func (s *shop) begin(buckets int) {
	s.Helper()
	s.sale.Buckets, s.gate = buckets, gate.New(s.rdb, s.sale.Key, buckets)
	s.worker = s.newWorker(s.section)
	s.keep = s.worker.Keeper(s.sale.Key)
	s.api = ledger.NewAPI(s.worker, s.section.Token)
}

func liveSale(key string, stock int) *configs.Sale {
	now := time.Now()
	return &configs.Sale{
		ID: key, Key: key, Stock: stock, PerAccount: 1, Hold: time.Minute, LatePayment: configs.Rehold,
		Doors: now.Add(-time.Hour), Opens: now.Add(-time.Hour), Closes: now.Add(time.Hour),
	}
}

func (s *shop) newWorker(section configs.Worker) *ledger.Worker {
	s.Helper()
	return s.newWorkerOf(section, func(_ context.Context, key string) (*gate.Gate, error) {
		if key == s.sale.Key {
			return s.gate, nil
		}
		return gate.New(s.rdb, key, 1), nil
	})
}

func (s *shop) newWorkerOf(section configs.Worker, gateOf ledger.GateOf) *ledger.Worker {
	s.Helper()
	w, err := ledger.NewWorker(section, []*configs.Sale{s.sale}, s.books, gateOf, prometheus.NewRegistry(), s.log)
	check(s.TB, err)
	return w
}

// open takes a keeper's steps until the gate sells.
func (s *shop) open() {
	s.Helper()
	for range 10 {
		check(s.TB, s.keep(s.Context()))
		if snap, err := s.gate.Look(s.Context()); err == nil && snap.Open() {
			return
		}
	}
	s.Fatal("gate did not open")
}

// run lets a worker run until the test ends, or until the returned func.
func (s *shop) run(w *ledger.Worker) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.Context()))
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		select {
		case err := <-done:
			check(s.TB, err)
		case <-time.After(30 * time.Second):
			s.Error("worker did not end")
		}
	}
	s.Cleanup(stop)
	return stop
}

// reserve takes a unit at the gate.
func (s *shop) reserve(account string) (string, error) {
	id := uuid.NewString()
	_, err := s.gate.Reserve(s.Context(), gate.Request{
		Reservation: id, Account: account, Ticket: "t-" + id, Key: "k-" + id, Digest: "d",
		Qty: 1, PerAccount: s.sale.PerAccount, Hold: s.sale.Hold, MaxBacklog: s.section.MaxBacklog,
	})
	return id, err
}

// buy takes a unit and has its order written.
func (s *shop) buy(account string) string {
	s.Helper()
	id, err := s.reserve(account)
	check(s.TB, err)
	s.drain()
	return id
}

// watched returns the shop's gate as another program has it, whose calls of Redis are
// watched: after the first one at whose end when holds, do is done.
func (s *shop) watched(when func() bool, do func()) *gate.Gate {
	rdb := redis.NewClient(&redis.Options{Addr: s.rdb.(*redis.Client).Options().Addr, MaxRetries: -1})
	s.Cleanup(func() { check(s.TB, rdb.Close()) })
	rdb.AddHook(&watch{when: when, do: do})
	return gate.New(rdb, s.sale.Key, s.sale.Buckets)
}

type watch struct {
	when func() bool
	do   func()
	once sync.Once
}

func (w *watch) DialHook(next redis.DialHook) redis.DialHook { return next }

func (w *watch) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		w.look()
		return err
	}
}

func (w *watch) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		w.look()
		return err
	}
}

func (w *watch) look() {
	if w.when() {
		w.once.Do(w.do)
	}
}

// drain settles all winners that are new.
func (s *shop) drain() {
	s.Helper()
	for {
		n, err := s.worker.ReadOnce(s.Context(), s.sale.Key, "one")
		if err != nil && strings.Contains(err.Error(), "NOGROUP") {
			continue // made by that read
		}
		check(s.TB, err)
		if n == 0 {
			return
		}
	}
}

// forge puts an entry into the stream that no gate wrote.
func (s *shop) forge(fields map[string]any) {
	s.Helper()
	check(s.TB, s.rdb.XAdd(s.Context(), &redis.XAddArgs{Stream: s.stream(), Values: fields}).Err())
}

func winner(reservation, account, qty string) map[string]any {
	return map[string]any{
		"reservation": reservation, "account": account, "ticket": "t-" + reservation,
		"qty": qty, "reserved": "1", "hold": "60000",
	}
}

// key names one of the gate's keys; stream is the one of the winners.
func (s *shop) key(name string) string { return "wr:{gate:" + s.sale.Key + "/0}:" + name }

func (s *shop) stream() string { return s.key("winners") }

// expire lets all holds run out and sweeps.
func (s *shop) expire() ledger.SweepResult {
	s.Helper()
	check(s.TB, s.books.Ripen(s.Context(), s.sale.Key))
	return s.sweep()
}

func (s *shop) sweep() ledger.SweepResult {
	s.Helper()
	done, err := s.worker.Sweep(s.Context())
	check(s.TB, err)
	return done
}

// ask calls the API and returns the code and the body's fields.
func (s *shop) ask(method, path, body string) (int, map[string]any) {
	s.Helper()
	req := httptest.NewRequestWithContext(s.Context(), method, path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+token)
	rec := httptest.NewRecorder()
	s.api.ServeHTTP(rec, req)
	fields := map[string]any{}
	if err := json.Unmarshal(rec.Body.Bytes(), &fields); err != nil {
		s.Errorf("%s %s: body %q: %v", method, path, rec.Body, err)
	}
	return rec.Code, fields
}

func (s *shop) pay(reservation, payment string) (int, any) {
	s.Helper()
	code, body := s.ask("POST", "/v1/orders/"+reservation+"/paid", `{"payment_id":"`+payment+`","amount":19.90,"currency":"EUR"}`)
	return code, body["status"]
}

// wantPaid pays and compares the answer.
func (s *shop) wantPaid(reservation, payment string, code int, status any) {
	s.Helper()
	if gotCode, got := s.pay(reservation, payment); gotCode != code || got != status {
		s.Errorf("pay %s for %s: got %d %v, want %d %v", payment, reservation, gotCode, got, code, status)
	}
}

// wantNote compares what the gate tells a shopper.
func (s *shop) wantNote(reservation string, want gate.Status) {
	s.Helper()
	n, ok, err := s.gate.Find(s.Context(), "", reservation)
	check(s.TB, err)
	if !ok || n.Status != want {
		s.Errorf("note of %s: got %q (%v), want %q", reservation, n.Status, ok, want)
	}
}

func (s *shop) wantLeft(want int) {
	s.Helper()
	snap, err := s.gate.Look(s.Context())
	check(s.TB, err)
	if snap.Left != want {
		s.Errorf("left at the gate: got %d, want %d", snap.Left, want)
	}
}

// wantCounts compares held and paid units and checks the books' own balance.
func (s *shop) wantCounts(pending, paid int) {
	s.Helper()
	c, err := s.books.Counts(s.Context(), s.sale.Key)
	check(s.TB, err)
	if c.Pending != pending || c.Paid != paid || !c.Balanced() {
		s.Errorf("books: got %+v, want %d pending, %d paid, balanced", c, pending, paid)
	}
}

// wantAgree checks that books and gate agree.
func (s *shop) wantAgree() ledger.Balance {
	s.Helper()
	a, err := s.worker.Reconcile(s.Context(), s.sale, false)
	check(s.TB, err)
	if !a.Agree {
		s.Errorf("books and gate differ: %+v", a)
	}
	return a
}

// count reads one number from the books.
func (s *shop) count(query string, args ...any) int {
	s.Helper()
	var n int
	check(s.TB, s.books.DB().QueryRowContext(s.Context(), query, args...).Scan(&n))
	return n
}

func (s *shop) wantCount(want int, query string, args ...any) {
	s.Helper()
	if got := s.count(query, args...); got != want {
		s.Errorf("%s: got %d, want %d", query, got, want)
	}
}

// soon waits for something that a running worker does.
func (s *shop) soon(what string, done func() bool) {
	s.Helper()
	s.soonIn(3*time.Minute, what, done) // as long as the busiest machine needs
}

func (s *shop) soonIn(most time.Duration, what string, done func() bool) {
	s.Helper()
	deadline := time.Now().Add(most)
	for !done() {
		if time.Now().After(deadline) {
			s.Fatalf("not in time: %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
