package e2e_test

import (
	"context"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// A plan is what goes wrong in a round, beside the worker that always dies.
type plan struct {
	name    string
	forgets bool // Redis does
	strikes []strikeAt
}

// strikeAt makes a strike somewhere between two moments after the draw.
type strikeAt struct {
	from, to time.Duration
	hit      func(*round)
}

// strike is one thing that goes wrong at a moment after the draw.
type strike struct {
	after time.Duration
	hit   func(*round)
}

var (
	anEdge   = strikeAt{200 * time.Millisecond, 3 * time.Second, killEdge}
	aWorker  = strikeAt{200 * time.Millisecond, 4 * time.Second, killWorker}
	early    = 500 * time.Millisecond
	late     = 3 * time.Second
	atOpen   = 100 * time.Millisecond
	whileBuy = 2 * time.Second
)

var plans = []plan{
	{name: "an edge and a worker die", strikes: []strikeAt{anEdge, aWorker}},
	{name: "an edge and both workers die", strikes: []strikeAt{anEdge, {early, late, killWorkers}}},
	{name: "an edge and a worker die, Redis stands still", strikes: []strikeAt{anEdge, aWorker, {early, late, pauseRedis}}},
	{name: "an edge and a worker die, Postgres restarts", strikes: []strikeAt{anEdge, aWorker, {early, late, restartPostgres}}},
	{name: "an edge drains, a worker dies", strikes: []strikeAt{{atOpen, whileBuy, drainEdge}, aWorker}},
	{name: "an edge and a worker die, Redis forgets everything", forgets: true,
		strikes: []strikeAt{anEdge, aWorker, {early, late, flushRedis}}},
	{name: "an edge and both workers die, Redis forgets winners on their way", forgets: true,
		strikes: []strikeAt{anEdge, {atOpen, whileBuy / 2, loseWinners}}},
}

// strikes draws the moments of this round.
func (r *round) strikes() []strike {
	var all []strike
	for _, s := range r.plan.strikes {
		all = append(all, strike{s.from + time.Duration(r.rng.Float64()*float64(s.to-s.from)), s.hit})
	}
	return all
}

// downFor is how long a dead program stays dead.
func downFor(seed uint64) time.Duration {
	return time.Duration(100+seed*7919%600) * time.Millisecond
}

func killEdge(r *round) { r.kill(r.edges[r.seed/7%2]) }

func killWorker(r *round) { r.kill(r.workers[r.seed/11%2]) }

func killWorkers(r *round) {
	for _, w := range r.workers {
		w.Kill()
	}
	pause(r.t.Context(), downFor(r.seed))
	for _, w := range r.workers {
		w.start(r.t)
	}
}

// loseWinners makes Redis forget while nobody drains the stream. Until there is
// a worker to rebuild the gate, the sale is paused.
func loseWinners(r *round) {
	for _, w := range r.workers {
		w.Kill()
	}
	pause(r.t.Context(), downFor(r.seed))
	var flushed sync.WaitGroup
	flushed.Go(func() { flushRedis(r) })
	if !r.soon("paused") {
		r.fault("the gate is forgotten, and the sale is not paused")
	}
	for _, w := range r.workers {
		w.start(r.t)
	}
	flushed.Wait()
}

// soon reports whether an edge comes to say that the sale is in a state.
func (r *round) soon(state string) bool {
	ctx, cancel := context.WithTimeout(r.t.Context(), 3*time.Second)
	defer cancel()
	b := newBrowser(r.roots, "nobody", false)
	defer b.close()
	for {
		for _, e := range r.edges {
			a, _ := b.ask(ctx, e.address, http.MethodGet, own("status"), "", nil) // one may be down
			if a.State == state {
				return true
			}
		}
		if !pause(ctx, 50*time.Millisecond) {
			return false
		}
	}
}

func (r *round) kill(s *server) {
	s.Kill()
	pause(r.t.Context(), downFor(r.seed))
	s.start(r.t)
}

func pauseRedis(r *round) {
	r.redis.Pause()
	pause(r.t.Context(), 2*time.Second)
	r.redis.Resume()
}

func restartPostgres(r *round) {
	r.postgres.Stop()
	pause(r.t.Context(), downFor(r.seed))
	r.postgres.Start()
}

// drainEdge ends an edge as an update does: the balancer asks for readiness and
// sends nobody there any more, and what is under way has its answer.
func drainEdge(r *round) {
	e := r.edges[r.seed/7%2]
	e.draining.Store(true)
	if err := e.Signal(syscall.SIGTERM); err != nil {
		r.fault("end an edge: %v", err)
	}
	for answers(e.ready) && pause(r.t.Context(), 20*time.Millisecond) {
	}
	e.leaving.Store(true)
	if code, err := e.Wait(patience); code != 0 || err != nil {
		r.fault("an edge that drained ended with %d, %v", code, err)
	}
	e.start(r.t)
	e.draining.Store(false)
	e.leaving.Store(false)
}

// flushRedis makes Redis forget all, also the scripts, and waits until the gate
// sells again: rebuilt, as a later epoch.
func flushRedis(r *round) {
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	before, err := r.gate.Look(ctx)
	if err != nil {
		r.fault("look at the gate before it is forgotten: %v", err)
	}
	r.t.Logf("Redis forgets %d winners on their way", before.Backlog)
	client := redis.NewClient(&redis.Options{Addr: r.redis.Addr})
	defer client.Close()
	if err := client.FlushAll(ctx).Err(); err != nil {
		r.fault("flush Redis: %v", err)
	}
	if err := client.ScriptFlush(ctx).Err(); err != nil {
		r.fault("flush Redis' scripts: %v", err)
	}
	for {
		after, err := r.gate.Look(ctx)
		switch {
		case err == nil && after.Open() && after.Mark.Epoch > before.Mark.Epoch:
			return
		case err == nil && after.Open():
			r.fault("the forgotten gate sells again as epoch %d, after %d", after.Mark.Epoch, before.Mark.Epoch)
			return
		case !pause(ctx, 50*time.Millisecond):
			r.fault("the forgotten gate was not rebuilt: %+v", after)
			return
		}
	}
}
