package chaos_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/balance"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/ledger"
)

// selling is how long buyers begin anew; faults begin within the first part.
const (
	selling   = 2500 * time.Millisecond
	strikesBy = 1200 * time.Millisecond

	longestRound = 2 * time.Minute
)

// TestRounds plays one round of each fault, or one seed after the other: as many as
// WAITROOM_ROUNDS says. There is one of each fault on each topology in as many as
// there are scenarios.
func TestRounds(t *testing.T) {
	t.Parallel()
	first := firstSeed(t)
	seeds := few(first)
	if os.Getenv("WAITROOM_SEED") != "" {
		seeds = []uint64{first}
	}
	if n, err := strconv.ParseUint(os.Getenv("WAITROOM_ROUNDS"), 10, 64); err == nil {
		seeds = nil
		for seed := first; seed < first+n; seed++ {
			seeds = append(seeds, seed)
		}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprintf("WAITROOM_SEED=%d", seed), func(t *testing.T) {
			t.Parallel()
			play(t, seed)
		})
	}
}

// firstSeed is the seed with which this run begins.
func firstSeed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("WAITROOM_SEED")
	if text == "" {
		return uint64(time.Now().UnixMilli())
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("WAITROOM_SEED: %v; right would be a whole number", err)
	}
	return seed
}

// round is one sale with all that takes part in it.
type round struct {
	t     *testing.T
	seed  uint64
	ctx   context.Context // ends when a round has taken too long
	story *story
	scenario
	*stores

	sale      *configs.Sale
	redisURL  string
	booksURL  string                     // as the workers have it, before their relays
	postgres  *testserver.PostgresServer // nil: shared with other rounds
	db        *sql.DB                    // direct
	gate      *gate.Gate                 // direct
	edges     []*edge
	workers   []*worker
	inspector *ledger.Worker // reconciles, and never runs

	mu     sync.Mutex
	forgot time.Time // a yes that was asked for before may have been forgotten
}

func play(t *testing.T, seed uint64) {
	r := newRound(t, seed, scenarioOf(seed))
	if !r.begin() {
		return
	}
	r.sell()
	r.settle()
	r.check()
}

func newRound(t *testing.T, seed uint64, s scenario) *round {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), longestRound)
	t.Cleanup(cancel)
	r := &round{t: t, seed: seed, ctx: ctx, story: newStory(), scenario: s}
	t.Cleanup(func() {
		if t.Failed() {
			r.story.tell(t)
		}
	})
	return r
}

// begin returns once the gate is open.
func (r *round) begin() bool {
	r.t.Helper()
	r.prepare()
	for _, w := range r.workers {
		w.start()
		r.t.Cleanup(w.stop)
	}
	return r.soon("the gate opens", r.open)
}

// prepare starts the stores and puts all in place.
func (r *round) prepare() {
	rng := rand.New(rand.NewPCG(r.seed, 0))
	r.sale = newSale("toy-"+uuid.NewString()[:8], 30+rng.IntN(90), []int{1, 4, 10}[rng.IntN(3)])
	r.stores = r.topology.start(r.t)
	r.redisURL = r.stores.url
	direct := r.startBooks()
	r.db = balance.Open(r.t, direct)
	rdb, err := connect(r.redisURL, newRelays(r.t))
	r.must(err)
	r.t.Cleanup(func() { _ = rdb.Close() })
	r.gate = r.newGate(rdb)
	books, err := ledger.OpenPostgres(configs.NewSecret(direct))
	r.must(err)
	r.t.Cleanup(func() { _ = books.Close() })
	r.must(books.Migrate(r.ctx))
	r.inspector = r.newInspector(books)
	for _, f := range r.faults {
		if f.prepare != nil {
			f.prepare(r)
		}
	}
	for i := range 2 {
		r.edges = append(r.edges, r.newEdge())
		r.workers = append(r.workers, r.newWorker(fmt.Sprint("worker", i)))
	}
}

// startBooks returns the address of an empty database, on a server of this
// round's own if a fault is one of the whole server.
func (r *round) startBooks() string {
	for _, f := range r.faults {
		if f.wholePostgres {
			r.postgres = testserver.StartPostgres(r.t)
			r.booksURL = r.postgres.URL
			return r.booksURL
		}
	}
	r.booksURL = testserver.Postgres(r.t)
	return r.booksURL
}

// sell lets buyers buy while the faults strike. It returns when nobody is under
// way any more and all is up again.
func (r *round) sell() {
	over, cancel := context.WithTimeout(r.ctx, selling)
	defer cancel()
	var all sync.WaitGroup
	for i, f := range r.faults {
		rng := rand.New(rand.NewPCG(r.seed, uint64(1+i)))
		after := 200*time.Millisecond + time.Duration(rng.Int64N(int64(strikesBy)))
		all.Go(func() {
			if f.hit == nil || !pause(r.ctx, after) {
				return
			}
			r.story.note("%s: begins", f.name)
			f.hit(r, rng)
			r.story.note("%s: ends", f.name)
		})
	}
	for i := range buyers {
		all.Go(func() { r.newBuyer(i).live(over) })
	}
	all.Go(func() { r.clock(over) })
	all.Wait()
}

// clock lets time pass for unpaid orders.
func (r *round) clock(over context.Context) {
	rng := rand.New(rand.NewPCG(r.seed, 99))
	for pause(over, time.Duration(200+rng.IntN(300))*time.Millisecond) {
		// The books may be away: then it passes later.
		_, _ = r.db.ExecContext(over, `UPDATE sale_orders SET pay_before = now() - interval '1 minute'
			WHERE status = 'PENDING_PAYMENT' AND created_at < now() - interval '0.7 s' AND random() < 0.5`)
	}
}

// forgets says that while how runs Redis forgets what it said yes to before.
func (r *round) forgets(how func()) {
	r.excuse(time.Now().Add(time.Hour))
	how()
	r.excuse(time.Now())
}

func (r *round) excuse(until time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgot = until
}

// excused reports whether a yes may be lost: it was asked for before Redis had
// forgotten.
func (r *round) excused(reservation string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.story.mu.Lock()
	defer r.story.mu.Unlock()
	return r.story.yeses[reservation].asked.Before(r.forgot)
}

func (r *round) open() bool {
	snap, err := r.gate.Look(r.ctx)
	return err == nil && snap.Open()
}

// soon waits for what comes by itself.
func (r *round) soon(what string, done func() bool) bool {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, patience)
	defer cancel()
	for !done() {
		if !pause(ctx, 20*time.Millisecond) {
			r.t.Errorf("not in time: %s", what)
			return false
		}
	}
	return true
}

func (r *round) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// key names one of the gate's keys of a bucket.
func (r *round) key(bucket int, name string) string {
	return "wr:{" + gate.Tag(r.sale.Key, bucket) + "}:" + name
}
