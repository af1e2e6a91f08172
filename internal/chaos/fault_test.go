package chaos_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

var faults = []fault{
	{name: "nothing else"},
	{name: "Redis stands still", hit: freezeRedis, on: []*topology{&single, &cluster}},
	{name: "Redis forgets the scripts", hit: forgetScripts},
	{name: "Redis is full", hit: fillRedis},
	{name: "Redis is flushed", damages: true, hit: flushRedis},
	{name: "the gate's state is deleted", damages: true, hit: deleteKey("state")},
	{name: "Redis comes back from an older copy", damages: true, hit: restoreRedis, on: []*topology{&single, &cluster}},
	{name: "the stream is deleted", damages: true, hit: deleteKey("winners")},
	{name: "a winner is deleted", damages: true, hit: deleteWinner},
	{name: "the group is deleted", hit: deleteGroup},
	{name: "the receipts are deleted", damages: true, hit: deleteReceipts},
	{name: "the index is deleted", damages: true, hit: deleteKey("index")},

	{name: "Postgres restarts", wholePostgres: true, hit: restartPostgres, on: []*topology{&single}},
	{name: "deadlocks", prepare: impatientDeadlocks, hit: deadlocks, on: []*topology{&single}},
	{name: "transactions are serializable", prepare: serializable, on: []*topology{&single}},
	{name: "PgBouncer pools transactions", prepare: throughPgBouncer, on: []*topology{&single}},

	{name: "a replica is promoted in good order", damages: true, hit: promote, on: []*topology{&sentinel, &cluster}},
	{name: "the primary dies", damages: true, hit: killPrimary, on: []*topology{&sentinel, &cluster}},
	{name: "the primary dies with writes that no replica heard", damages: true, hit: loseWrites, on: []*topology{&sentinel, &cluster}},
	{name: "the primary stands still until it is none", damages: true, hit: freezePrimary, on: []*topology{&sentinel}},
	{name: "the gate's slot moves", hit: moveSlot, on: []*topology{&cluster}},
}

// anyBucket is a bucket and the server of its keys.
func (r *round) anyBucket(rng *rand.Rand) (bucket int, server *testserver.RedisServer) {
	bucket = rng.IntN(r.sale.Buckets)
	return bucket, r.stores.owner(r.key(bucket, "state"))
}

// do asks a server; it must be there.
func (r *round) do(server *testserver.RedisServer, args ...any) {
	if _, err := server.Do(args...); err != nil {
		r.story.fault("strike: %v", err)
	}
}

// freezeRedis is shorter than a Cluster's patience.
func freezeRedis(r *round, rng *rand.Rand) {
	_, server := r.anyBucket(rng)
	server.Pause()
	most := 1500 * time.Millisecond
	if r.cluster != nil {
		most = 600 * time.Millisecond
	}
	pause(r.ctx, most/2+time.Duration(rng.Int64N(int64(most/2))))
	server.Resume()
}

func forgetScripts(r *round, rng *rand.Rand) {
	for range 5 {
		for _, n := range r.nodes {
			r.do(n, "SCRIPT", "FLUSH")
		}
		pause(r.ctx, time.Duration(rng.IntN(300))*time.Millisecond)
	}
}

func fillRedis(r *round, rng *rand.Rand) {
	for range 3 {
		_, server := r.anyBucket(rng)
		server.Fill()
		pause(r.ctx, time.Duration(100+rng.IntN(500))*time.Millisecond)
		server.Drain()
		pause(r.ctx, time.Duration(rng.IntN(300))*time.Millisecond)
	}
}

func flushRedis(r *round, rng *rand.Rand) {
	_, server := r.anyBucket(rng)
	r.forget(server.Flush)
}

func restoreRedis(r *round, rng *rand.Rand) {
	_, server := r.anyBucket(rng)
	server.Save()
	pause(r.ctx, time.Duration(100+rng.IntN(800))*time.Millisecond)
	r.forget(server.Restore)
}

// deleteKey deletes one of the gate's keys. What it said can be read from the
// others and from the books: no yes is lost.
func deleteKey(name string) func(*round, *rand.Rand) {
	return func(r *round, rng *rand.Rand) {
		bucket, server := r.anyBucket(rng)
		r.damage(func() { r.do(server, "DEL", r.key(bucket, name)) })
	}
}

// deleteReceipts makes the gate forget whose winners are on their way: none of them
// is lost, but a payment that comes meanwhile is one that nobody knows.
func deleteReceipts(r *round, rng *rand.Rand) {
	bucket, server := r.anyBucket(rng)
	r.forget(func() { r.do(server, "DEL", r.key(bucket, "receipts")) })
}

func deleteWinner(r *round, rng *rand.Rand) {
	for range 200 {
		bucket, server := r.anyBucket(rng)
		found, err := server.Do("XRANGE", r.key(bucket, "winners"), "-", "+", "COUNT", 1)
		entries, _ := found.([]any)
		if err == nil && len(entries) > 0 {
			entry, _ := entries[0].([]any)
			r.damage(func() { r.do(server, "XDEL", r.key(bucket, "winners"), entry[0]) })
			return
		}
		pause(r.ctx, 2*time.Millisecond)
	}
}

func deleteGroup(r *round, rng *rand.Rand) {
	for range 3 {
		bucket, server := r.anyBucket(rng)
		// NOGROUP: it is not there at this moment, which is as good.
		_, _ = server.Do("XGROUP", "DESTROY", r.key(bucket, "winners"), "ledger")
		pause(r.ctx, time.Duration(rng.IntN(400))*time.Millisecond)
	}
}

// forget makes Redis forget what it said yes to, see damage.
func (r *round) forget(how func()) {
	r.damage(func() { r.forgets(how) })
}

// damage does what it is given to Redis, and waits until the gate is at least as
// new as it was and sells.
func (r *round) damage(how func()) {
	before, err := r.gate.Look(r.ctx)
	if err != nil {
		r.story.fault("look at the gate before it is damaged: %v", err)
		return
	}
	how()
	began := time.Now()
	ctx, cancel := context.WithTimeout(r.ctx, patience)
	defer cancel()
	for {
		after, err := r.gate.Look(ctx)
		if err == nil && after.Open() && !after.Mark.Before(before.Mark) {
			r.t.Logf("with %d winners on their way; open again after %v, rebuilt %v",
				before.Backlog, time.Since(began).Round(time.Millisecond), after.Mark.Epoch > before.Mark.Epoch)
			return
		}
		if !pause(ctx, 10*time.Millisecond) {
			r.story.fault("the gate that was damaged has not been rebuilt: %+v, %v", after, err)
			return
		}
	}
}

func restartPostgres(r *round, rng *rand.Rand) {
	end := r.postgres.Stop
	if rng.IntN(2) == 0 {
		end = r.postgres.Kill
	}
	end()
	pause(r.ctx, time.Duration(100+rng.IntN(1000))*time.Millisecond)
	r.postgres.Start()
}

func impatientDeadlocks(r *round) {
	_, err := r.db.ExecContext(r.ctx, `DO $$ BEGIN
		EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = ''30ms''', current_database()); END $$`)
	r.must(err)
}

// deadlocks locks what the workers lock in the opposite order.
func deadlocks(r *round, rng *rand.Rand) {
	over, cancel := context.WithTimeout(r.ctx, wearing)
	defer cancel()
	var all sync.WaitGroup
	for range 2 {
		wait := time.Duration(5+rng.IntN(40)) * time.Millisecond
		all.Go(func() {
			for over.Err() == nil {
				r.lockBackwards(over, wait)
				pause(over, wait)
			}
		})
	}
	all.Wait()
}

// lockBackwards takes the stock's lock first and those of the orders after it. It
// may be thrown out itself.
func (r *round) lockBackwards(ctx context.Context, wait time.Duration) {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM sale_stock WHERE sale = $1 FOR UPDATE`, r.sale.Key); err != nil {
		return
	}
	pause(ctx, wait)
	_, _ = tx.ExecContext(ctx, `SELECT 1 FROM sale_orders WHERE sale = $1 FOR UPDATE`, r.sale.Key)
}

func serializable(r *round) { r.booksURL += "&default_transaction_isolation=serializable" }

func throughPgBouncer(r *round) { r.booksURL = testserver.StartPgBouncer(r.t, r.booksURL) }

// promote changes the primary as an operator does.
func promote(r *round, rng *rand.Rand) {
	r.forget(func() {
		if r.sentinels != nil {
			r.sentinels.Promote()
			r.sentinels.AwaitReplicas() // until then the old one goes on
			return
		}
		bucket, server := r.anyBucket(rng)
		r.cluster.Promote(server, rng.IntN(2) == 0)
		r.cluster.AwaitOwner(r.key(bucket, "state"), server)
	})
}

func killPrimary(r *round, rng *rand.Rand) {
	bucket, server := r.anyBucket(rng)
	r.forget(func() {
		server.Kill()
		r.succeeded(bucket, server)
	})
	server.Start()
}

// loseWrites lets the primary alone hear what is written for a while.
func loseWrites(r *round, rng *rand.Rand) {
	bucket, server := r.anyBucket(rng)
	server.CutReplicas()
	pause(r.ctx, time.Duration(100+rng.IntN(500))*time.Millisecond)
	r.forget(func() {
		server.Kill()
		r.succeeded(bucket, server)
	})
	server.Start()
}

// succeeded waits until another one has a dead primary's place.
func (r *round) succeeded(bucket int, dead *testserver.RedisServer) {
	if r.sentinels != nil {
		r.sentinels.AwaitPrimary(dead)
		return
	}
	r.cluster.AwaitOwner(r.key(bucket, "state"), dead)
}

// freezePrimary lets a primary wake up that has been succeeded, and still thinks
// it is one: until it is told, it says yes to whoever asks it.
func freezePrimary(r *round, rng *rand.Rand) {
	bucket, server := r.anyBucket(rng)
	r.forget(func() {
		server.Pause()
		r.succeeded(bucket, server)
		pause(r.ctx, time.Duration(rng.IntN(300))*time.Millisecond)
		server.Resume()
		r.sentinels.AwaitReplicas()
	})
}

func moveSlot(r *round, rng *rand.Rand) {
	bucket, server := r.anyBucket(rng)
	to := r.nodes[rng.IntN(3)]
	if to == server {
		to = r.nodes[(rng.IntN(2)+1+slices.Index(r.nodes, server))%3]
	}
	r.cluster.Migrate(r.key(bucket, "state"), to, func() { pause(r.ctx, time.Duration(20+rng.IntN(80))*time.Millisecond) })
}
