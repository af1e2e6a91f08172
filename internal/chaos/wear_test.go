package chaos_test

import (
	"bytes"
	"math/rand/v2"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

// wears are what goes wrong between the programs and their stores, and leaves the
// stores as they are.
var wears = []fault{
	{name: "requests to Redis are lost, halved, late or answered to nobody", hit: tricks(0.10,
		testserver.CutBefore, testserver.CutHalf, testserver.Swallow, testserver.LoseReply,
		testserver.HalfReply, testserver.HideReply, testserver.Delay, testserver.DelayReply)},
	{name: "replies of Redis are lost", hit: tricks(0.25, testserver.LoseReply, testserver.HalfReply)},
	{name: "connections to Redis are cut", hit: cutRedis},
	{name: "a worker dies", strays: true, hit: killWorkers(1)},
	{name: "both workers die", strays: true, hit: killWorkers(2)},
	{name: "commits are answered to nobody", hit: loseCommits},
	{name: "connections to Postgres are cut", hit: cutPostgres},
	{name: "Postgres is out of reach", hit: shutPostgres},
	{name: "Postgres is slow", hit: slowPostgres},
}

// wearing is how long such a fault lasts.
const wearing = 1500 * time.Millisecond

// relays are all relays before Redis.
func (r *round) relays() (all []*relays) {
	for _, e := range r.edges {
		all = append(all, e.redis)
	}
	for _, w := range r.workers {
		all = append(all, w.redis)
	}
	return all
}

// tricks plays one of some tricks on a share of all requests to Redis.
func tricks(share float64, some ...testserver.Trick) func(*round, *rand.Rand) {
	return func(r *round, rng *rand.Rand) {
		for i, relays := range r.relays() {
			rng := rand.New(rand.NewPCG(rng.Uint64(), uint64(i)))
			relays.judge(func([]byte) testserver.Fate {
				if rng.Float64() >= share {
					return testserver.Fate{}
				}
				return testserver.Fate{
					Trick: some[rng.IntN(len(some))],
					Late:  time.Duration(10+rng.IntN(500)) * time.Millisecond,
				}
			})
		}
		pause(r.ctx, wearing)
		for _, relays := range r.relays() {
			relays.judge(nil)
			relays.cut() // of which nothing is heard any more
		}
	}
}

func cutRedis(r *round, rng *rand.Rand) {
	for range 10 {
		for _, relays := range r.relays() {
			if rng.IntN(2) == 0 {
				relays.cut()
			}
		}
		pause(r.ctx, time.Duration(rng.Int64N(int64(wearing/5))))
	}
}

func killWorkers(n int) func(*round, *rand.Rand) {
	return func(r *round, rng *rand.Rand) {
		first := rng.IntN(len(r.workers))
		for i := range n {
			r.workers[(first+i)%len(r.workers)].die()
		}
		pause(r.ctx, time.Duration(100+rng.IntN(900))*time.Millisecond)
		for i := range n {
			r.workers[(first+i)%len(r.workers)].start()
		}
	}
}

// loseCommits lets the outcome of many transactions be unknown: Postgres has
// committed, or has never heard of it, and nobody says which.
func loseCommits(r *round, rng *rand.Rand) {
	for i, w := range r.workers {
		rng := rand.New(rand.NewPCG(rng.Uint64(), uint64(i)))
		w.postgres.Judge(func(request []byte) testserver.Fate {
			if !bytes.Contains(bytes.ToLower(request), []byte("commit")) || rng.IntN(3) == 0 {
				return testserver.Fate{}
			}
			return testserver.Fate{Trick: []testserver.Trick{testserver.LoseReply, testserver.CutBefore}[rng.IntN(2)]}
		})
	}
	pause(r.ctx, wearing)
	for _, w := range r.workers {
		w.postgres.Judge(nil)
	}
}

func cutPostgres(r *round, rng *rand.Rand) {
	for range 10 {
		if rng.IntN(2) == 0 {
			r.workers[rng.IntN(len(r.workers))].postgres.Cut()
		} else { // as an administrator does; it may be down itself
			_, _ = r.db.ExecContext(r.ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		}
		pause(r.ctx, time.Duration(rng.Int64N(int64(wearing/5))))
	}
}

func shutPostgres(r *round, rng *rand.Rand) {
	for _, w := range r.workers {
		w.postgres.Shut()
	}
	pause(r.ctx, wearing/2+time.Duration(rng.Int64N(int64(wearing))))
	for _, w := range r.workers {
		w.postgres.Open()
	}
}

// slowPostgres keeps winners on their way.
func slowPostgres(r *round, rng *rand.Rand) {
	for i, w := range r.workers {
		rng := rand.New(rand.NewPCG(rng.Uint64(), uint64(i)))
		w.postgres.Judge(func([]byte) testserver.Fate {
			return testserver.Fate{Trick: testserver.DelayReply, Late: time.Duration(20+rng.IntN(200)) * time.Millisecond}
		})
	}
	pause(r.ctx, wearing)
	for _, w := range r.workers {
		w.postgres.Judge(nil)
	}
}
