package e2e_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// A plan is what goes wrong in a round.
type plan struct {
	name    string
	strikes []strike
	forgets bool // Redis does
	refills bool // the bucket gets back what it gave in the moments that are forgotten
}

// A strike hits at some moment between two that are counted from the draw.
type strike struct {
	from, to time.Duration
	hit      func(*round, *rand.Rand)
}

var (
	anEdgeDies  = strike{200 * time.Millisecond, 3 * time.Second, killEdge}
	aWorkerDies = strike{200 * time.Millisecond, 4 * time.Second, killWorker}
)

// midSale is a strike while most units are sold.
func midSale(hit func(*round, *rand.Rand)) strike {
	return strike{100 * time.Millisecond, 2 * time.Second, hit}
}

var plans = []plan{
	{name: "an edge and a worker die", strikes: []strike{anEdgeDies, aWorkerDies}},
	{name: "an edge and both workers die", strikes: []strike{anEdgeDies, midSale(killWorkers)}},
	{name: "an edge and a worker die, Redis stands still", strikes: []strike{anEdgeDies, aWorkerDies, midSale(pauseRedis)}},
	{name: "an edge and a worker die, Postgres restarts", strikes: []strike{anEdgeDies, aWorkerDies, midSale(restartPostgres)}},
	{name: "an edge drains, a worker dies", strikes: []strike{midSale(drainEdge), aWorkerDies}},
	{name: "an edge and a worker die, Redis forgets everything", forgets: true,
		strikes: []strike{anEdgeDies, aWorkerDies, midSale(flushRedis)}},
	{name: "an edge and both workers die, Redis forgets winners on their way", forgets: true,
		strikes: []strike{anEdgeDies, midSale(loseWinners)}},
	{name: "an edge and a worker die, Redis comes back as it was before", forgets: true, refills: true,
		strikes: []strike{anEdgeDies, aWorkerDies, midSale(rollBackRedis)}},
}

// strike waits for the moments of the round's plan and hits. It returns when all
// is up again.
func (r *round) strike() {
	var all sync.WaitGroup
	for i, s := range r.plan.strikes {
		rng := rand.New(rand.NewPCG(r.seed, uint64(1+i)))
		after := s.from + time.Duration(rng.Int64N(int64(s.to-s.from)))
		all.Go(func() {
			if pause(r.t.Context(), time.Until(r.sale.opens.Add(after))) {
				s.hit(r, rng)
			}
		})
	}
	all.Wait()
}

// down waits for as long as a dead program stays dead.
func (r *round) down(rng *rand.Rand) {
	pause(r.t.Context(), time.Duration(100+rng.IntN(600))*time.Millisecond)
}

func killEdge(r *round, rng *rand.Rand) { r.kill(rng, r.edges[rng.IntN(len(r.edges))]) }

func killWorker(r *round, rng *rand.Rand) { r.kill(rng, r.workers[rng.IntN(len(r.workers))]) }

func killWorkers(r *round, rng *rand.Rand) { r.kill(rng, r.workers...) }

func (r *round) kill(rng *rand.Rand, servers ...*server) {
	for _, s := range servers {
		s.Kill()
	}
	r.down(rng)
	for _, s := range servers {
		s.start(r.t)
	}
}

func pauseRedis(r *round, _ *rand.Rand) {
	r.redis.Pause()
	pause(r.t.Context(), 2*time.Second)
	r.redis.Resume()
}

func restartPostgres(r *round, rng *rand.Rand) {
	end := r.postgres.Stop
	if rng.IntN(2) == 0 {
		end = r.postgres.Kill
	}
	end()
	r.down(rng)
	r.postgres.Start()
}

// drainEdge ends an edge as an update does: the balancer asks for readiness and
// sends nobody there any more, and what is under way has its answer.
func drainEdge(r *round, rng *rand.Rand) {
	e := r.edges[rng.IntN(len(r.edges))]
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

// flushRedis makes Redis forget all, also the scripts.
func flushRedis(r *round, _ *rand.Rand) {
	r.forget(func(ctx context.Context) error {
		_, err := r.rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.FlushAll(ctx)
			p.ScriptFlush(ctx)
			return nil
		})
		return err
	})
}

// rollBackRedis makes Redis forget the last moments only, as a failover to a
// replica that lagged behind does.
func rollBackRedis(r *round, rng *rand.Rand) {
	r.forget(func(ctx context.Context) error {
		if err := r.rdb.Save(ctx).Err(); err != nil {
			return err
		}
		r.down(rng)
		r.redis.Kill()
		r.redis.Start()
		return nil
	})
}

// forget waits until the gate sells again: rebuilt, as a later epoch.
func (r *round) forget(how func(context.Context) error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	before, err := r.gate.Look(ctx)
	if err != nil {
		r.fault("look at the gate before it is forgotten: %v", err)
	}
	r.t.Logf("Redis forgets, with %d winners on their way", before.Backlog)
	if err := how(ctx); err != nil {
		r.fault("make Redis forget: %v", err)
	}
	for {
		after, err := r.gate.Look(ctx)
		if err == nil && after.Open() && after.Mark.Epoch > before.Mark.Epoch {
			return
		}
		if !pause(ctx, 50*time.Millisecond) {
			r.fault("the gate that was forgotten has not been rebuilt: %+v, %v", after, err)
			return
		}
	}
}

// loseWinners makes Redis forget while nobody drains the stream. Until there is
// a worker to rebuild the gate, the sale is paused.
func loseWinners(r *round, rng *rand.Rand) {
	for _, w := range r.workers {
		w.Kill()
	}
	r.down(rng)
	var flushed sync.WaitGroup
	flushed.Go(func() { flushRedis(r, rng) })
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
