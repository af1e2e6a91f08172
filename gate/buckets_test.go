package gate_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
)

// buckets builds a gate in so many.
func buckets(t *testing.T, rdb redis.UniversalClient, key string, n, units int) *gate.Gate {
	t.Helper()
	g := gate.New(rdb, key, n)
	build(t, g, gate.Contents{Epoch: 1, Total: units})
	return g
}

// at is a request of somebody who is at home in a bucket of n.
func at(bucket, n, serial int) gate.Request {
	r := request(serial)
	for i := 0; gate.Home(r.Account, n) != bucket; i++ {
		r.Account = fmt.Sprintf("a%d-%d", serial, i)
	}
	r.Ticket = r.Account
	return r
}

// Wherever the last units lie, and wherever who asks is at home, they are found in
// few steps; and that there is none is known in few.
func TestBuckets_TheLastUnitIsFewStepsAway(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		const n = 10
		for _, units := range []int{1, 3, n + 1} {
			steps := &between{what: func() {}}
			c := client(t, "redis://"+rdb.Options().Addr)
			tear(t, gate.Load(t.Context(), c))
			c.AddHook(steps)
			g := buckets(t, c, fmt.Sprint("toy", units), n, units)
			for i := range units + 2 {
				before := steps.left.Load()
				_, err := g.Reserve(t.Context(), at(n-1, n, i))
				if took := before - steps.left.Load(); took > 5 {
					t.Errorf("reserve %d of %d units took %d round trips", i+1, units, took)
				}
				if i < units && err != nil || i >= units && !errors.Is(err, gate.ErrSoldOut) {
					t.Errorf("reserve %d of %d units: %v", i+1, units, err)
				}
			}
			if s := look(t, g); s.Offered() != 0 || s.Total != units {
				t.Errorf("Look = %+v; want 0 of %d", s, units)
			}
		}
	})
}

// Half of a rich bucket comes at once, so that the next ones find it at home.
func TestBuckets_RefillsAreRareWhileMuchIsLeft(t *testing.T) {
	t.Parallel()
	rdb := embedded(t)
	steps := &between{what: func() {}}
	tear(t, gate.Load(t.Context(), rdb))
	rdb.AddHook(steps)
	const n, units = 4, 400
	g := buckets(t, rdb, "toy", n, units)
	before := steps.left.Load()
	for i := range units {
		reserve(t, g, at(1, n, i))
	}
	if took := before - steps.left.Load(); took > units+120 {
		t.Errorf("%d reserves at one home took %d round trips", units, took)
	}
}

// stutter lets every command run, and loses the first answer of each.
type stutter struct{ lost sync.Map }

func (s *stutter) lose(cmd redis.Cmder) bool {
	_, again := s.lost.LoadOrStore(fmt.Sprint(cmd.Args()), true)
	return !again && strings.HasPrefix(cmd.Name(), "eval")
}

func (s *stutter) DialHook(next redis.DialHook) redis.DialHook { return next }
func (s *stutter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if err == nil && s.lose(cmd) {
			err = errors.New("connection reset by peer")
			cmd.SetErr(err)
		}
		return err
	}
}
func (s *stutter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		for _, cmd := range cmds {
			if cmd.Err() == nil && s.lose(cmd) {
				cmd.SetErr(errors.New("connection reset by peer"))
			}
		}
		return err
	}
}

// Nothing is done twice where every answer is lost once.
func TestBuckets_AnswersAgainWhenEveryReplyWasLost(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		const n, units = 3, 12
		tear(t, gate.Load(t.Context(), rdb))
		rdb.AddHook(&stutter{})
		g := buckets(t, rdb, "toy", n, units-3)
		for range 2 {
			if got, err := g.SetTotal(t.Context(), units); got != units || err != nil {
				t.Fatalf("SetTotal = %d, %v; want %d", got, err, units)
			}
		}
		for i := range units {
			reserve(t, g, at(i%2, n, i)) // the third has to give
		}
		whole(t, g, units, units)
		if _, err := g.Reserve(t.Context(), at(0, n, units)); !errors.Is(err, gate.ErrSoldOut) {
			t.Errorf("Reserve = %v; want sold out", err)
		}
	})
}

// whole holds a gate to so many units in all, and so many out.
func whole(t *testing.T, g *gate.Gate, total, out int) {
	t.Helper()
	a, err := g.Audit(t.Context())
	if err != nil || !a.Open() || a.Total != total || len(a.Receipts) != out || a.Offered()+out != total {
		t.Errorf("audit %+v, %d out, %v; want %d in all and %d out", a.Snapshot, len(a.Receipts), err, total, out)
	}
}

// recorder keeps every script that was run, to be run again.
type recorder struct {
	mu   sync.Mutex
	cmds [][]any
}

func (r *recorder) keep(cmd redis.Cmder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cmds = append(r.cmds, cmd.Args())
}

func (r *recorder) DialHook(next redis.DialHook) redis.DialHook { return next }
func (r *recorder) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error { r.keep(cmd); return next(ctx, cmd) }
}
func (r *recorder) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		for _, cmd := range cmds {
			r.keep(cmd)
		}
		return next(ctx, cmds)
	}
}

// A late copy of anything that was done to bring units from bucket to bucket, in
// whatever order it comes, makes no unit and loses none.
func TestBuckets_LateCopiesMakeNoUnits(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		const n, units = 3, 20
		r := &recorder{}
		c := client(t, "redis://"+rdb.Options().Addr)
		c.AddHook(r)
		g := buckets(t, c, "toy", n, units)
		r.cmds = nil
		for i := range units {
			reserve(t, g, at(0, n, i))
		}
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		rng.Shuffle(len(r.cmds), func(i, j int) { r.cmds[i], r.cmds[j] = r.cmds[j], r.cmds[i] })
		for _, args := range r.cmds {
			if strings.HasPrefix(fmt.Sprint(args[0]), "eval") {
				_ = rdb.Do(t.Context(), args...).Err()
			}
		}
		whole(t, g, units, units)
	})
}

// Whoever dies over a rebuild leaves no bucket that sells beside one of another
// rebuild.
func TestBuckets_HalfARebuildSellsNothing(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		const n = 3
		var held []gate.Live
		for b := range n {
			r := at(b, n, 100+b)
			held = append(held, live(r.Reservation, r.Account, r.Ticket))
		}
		for after, done := 0, false; !done; after++ {
			for _, runs := range []bool{false, true} {
				key := fmt.Sprintf("toy-%d-%t", after, runs)
				g := buckets(t, rdb, key, n, 9)
				tear(t, g.Close(t.Context(), "why"))
				dies, c := mortal(t, rdb, key, n)
				c.arm(after, runs)
				done, _ = dies.Rebuild(t.Context(), "why", gate.Contents{Epoch: 2, Total: 9, Live: held})
				c.disarm()
				snap, sold := look(t, gate.New(rdb, key, n)), 0
				for b := range n {
					if _, err := gate.New(rdb, key, n).Reserve(t.Context(), at(b, n, b)); err == nil {
						sold++
					}
				}
				switch {
				case snap.Open() && (sold != n || snap.Left != 6 || snap.Mark.Epoch != 2):
					t.Errorf("dead after %d, the last one run %t: %+v, %d sold; want the rebuilt gate", after, runs, snap, sold)
				case sold > 0 && !snap.Open() && snap.Missing: // some are open only once all are built
					t.Errorf("dead after %d, the last one run %t: %d sold beside one that is missing", after, runs, sold)
				case done && !snap.Open():
					t.Errorf("dead after %d, the last one run %t: %+v; want an open gate", after, runs, snap)
				}
			}
		}
	})
}

// A node of a Cluster that is lost or put back alone closes the gate, until it is
// rebuilt.
func TestBuckets_OneThatForgotClosesAll(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		const n = 3
		state := func(bucket int) string { return "wr:{" + gate.Tag("toy", bucket) + "}:state" }
		for name, forget := range map[string]func(g *gate.Gate){
			"everything": func(*gate.Gate) { tear(t, rdb.Del(t.Context(), state(1)).Err()) },
			"its last sale": func(g *gate.Gate) {
				forget := older(t, rdb, state(1))
				reserve(t, g, at(1, n, 7))
				forget()
			},
			"its last rebuild": func(g *gate.Gate) {
				forget := older(t, rdb, state(1))
				drain(t, g)
				build(t, g, gate.Contents{Epoch: 50, Total: 9})
				forget()
			},
			"what it gave": func(g *gate.Gate) {
				forget := older(t, rdb, state(1))
				for i := range 4 {
					reserve(t, g, at(0, n, i))
				}
				forget()
			},
		} {
			g := buckets(t, rdb, "toy", n, 9)
			forget(g)
			for who, g := range map[string]*gate.Gate{"who saw it": g, "a newcomer": gate.New(rdb, "toy", n)} {
				s := look(t, g)
				if who == "who saw it" && s.Open() || name != "its last sale" && name != "what it gave" && s.Open() {
					t.Errorf("%s: %s finds %+v; want a closed gate", name, who, s)
				}
			}
			if h, err := g.Reserve(t.Context(), at(1, n, 8)); !errors.Is(err, gate.ErrClosed) {
				t.Errorf("%s: Reserve = %+v, %v; want ErrClosed", name, h, err)
			}
			s := look(t, g)
			drain(t, g)
			build(t, g, gate.Contents{Epoch: max(s.Floor, s.Mark.Epoch) + 1, Total: 9})
			reserve(t, g, at(1, n, 9))
			tear(t, rdb.FlushDB(t.Context()).Err())
		}
	})
}

// Another number of buckets is a closed gate, and a rebuild, which waits for the
// winners of buckets that go.
func TestBuckets_AnotherNumberOfThem(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		many := buckets(t, rdb, "toy", 10, 20)
		h := reserve(t, many, at(7, 10, 1))
		few := gate.New(rdb, "toy", 3)
		if s := look(t, few); s.Open() || s.Closed != "built in 10 buckets, not in 3" {
			t.Fatalf("Look = %+v; want closed", s)
		}
		if _, err := few.Reserve(t.Context(), at(1, 3, 2)); !errors.Is(err, gate.ErrClosed) {
			t.Errorf("Reserve = %v; want ErrClosed", err)
		}
		tear(t, few.Close(t.Context(), "why"))
		if _, err := many.Reserve(t.Context(), at(7, 10, 3)); !errors.Is(err, gate.ErrClosed) {
			t.Errorf("Reserve in a bucket that is to go = %v; want ErrClosed", err)
		}
		c := gate.Contents{Epoch: 2, Total: 20, Live: []gate.Live{live(h.Reservation, at(7, 10, 1).Account, at(7, 10, 1).Ticket)}}
		if ok, err := few.Rebuild(t.Context(), "why", c); ok || err == nil || !strings.Contains(err.Error(), "1 winners wait in bucket 7 of 10") {
			t.Errorf("Rebuild = %v, %v; want a fault that names the bucket", ok, err)
		}
		drain(t, many)
		if ok, err := few.Rebuild(t.Context(), "why", c); !ok || err != nil {
			t.Fatalf("Rebuild = %v, %v; want true", ok, err)
		}
		whole(t, few, 20, 1)
		if n, err := gate.Built(t.Context(), rdb, "toy"); n != 3 || err != nil {
			t.Errorf("Built = %d, %v; want 3", n, err)
		}
		if _, err := many.Reserve(t.Context(), at(7, 10, 4)); !errors.Is(err, gate.ErrClosed) {
			t.Errorf("Reserve of somebody with the old number = %v; want ErrClosed", err)
		}
		tear(t, many.Close(t.Context(), "back"))
		c.Epoch = 3
		if ok, err := many.Rebuild(t.Context(), "back", c); !ok || err != nil {
			t.Fatalf("Rebuild = %v, %v; want true", ok, err)
		}
		whole(t, many, 20, 1)
	})
}

// sales is how many sales at random are played; WAITROOM_SALES=1000 plays more.
func sales() int {
	if n, err := strconv.Atoi(os.Getenv("WAITROOM_SALES")); err == nil {
		return n
	}
	return 15
}

// A crowd over several edges gets every unit, and no unit is sold twice.
func TestBuckets_EveryUnitIsSold(t *testing.T) {
	t.Parallel()
	rdb := client(t, testserver.Redis(t))
	for i := range sales() {
		play(t, rdb, fmt.Sprint("toy", i), rand.New(rand.NewPCG(7, uint64(i))))
	}
}

// play lets a crowd over three edges ask for 100 units, some of which come back.
func play(t *testing.T, rdb redis.UniversalClient, key string, rng *rand.Rand) {
	t.Helper()
	const n, units = 10, 100
	buckets(t, rdb, key, n, units)
	var edges []*gate.Gate
	for range 3 {
		edges = append(edges, gate.New(rdb, key, n))
	}
	var sold, busy atomic.Int64
	var wg sync.WaitGroup
	crowd := 16 + rng.IntN(48)
	for w := range crowd {
		edge, each := edges[rng.IntN(len(edges))], 4+rng.IntN(200/crowd+1)+units/crowd
		back := rng.IntN(5)
		wg.Go(func() {
			for i := range each {
				r := request(w*1000 + i)
				h, err := edge.Reserve(t.Context(), r)
				for errors.Is(err, gate.ErrBusy) {
					busy.Add(1)
					h, err = edge.Reserve(t.Context(), r)
				}
				switch {
				case err == nil && i < back: // this one gives it back
					if ok, err := edge.Release(t.Context(), r.Account, h.Reservation); !ok || err != nil {
						t.Errorf("Release = %v, %v", ok, err)
					}
				case err == nil:
					sold.Add(1)
				case !errors.Is(err, gate.ErrSoldOut):
					t.Errorf("Reserve: %v", err)
				}
			}
		})
	}
	wg.Wait()
	left := 0
	for i := range units {
		switch _, err := edges[0].Reserve(t.Context(), request(900000+i)); {
		case err == nil:
			left++ // had come back behind the last of the crowd
		case !errors.Is(err, gate.ErrSoldOut):
			t.Errorf("Reserve: %v", err)
		}
	}
	whole(t, edges[1], units, units)
	if int(sold.Load())+left != units {
		t.Errorf("%s: %d sold, %d left to who came last; want %d", key, sold.Load(), left, units)
	}
	if busy.Load() > 0 {
		t.Logf("%s: %d were told that units are on the move", key, busy.Load())
	}
}

// No script touches two slots, and the crowd is spread over the nodes.
func TestBuckets_OnACluster(t *testing.T) {
	t.Parallel()
	cluster := testserver.StartRedisCluster(t)
	rdb := cluster.Client()
	for i := range 3 {
		play(t, rdb, fmt.Sprint("toy", i), rand.New(rand.NewPCG(8, uint64(i))))
	}
	var mu sync.Mutex
	var holding []int
	err := rdb.ForEachMaster(t.Context(), func(ctx context.Context, node *redis.Client) error {
		keys, err := node.Keys(ctx, "wr:{gate:toy0/*}:state").Result()
		mu.Lock()
		defer mu.Unlock()
		holding = append(holding, len(keys))
		return err
	})
	if err != nil || slices.Min(holding) == 0 || slices.Max(holding) > 7 {
		t.Errorf("buckets of each node %v, %v; want them spread", holding, err)
	}
	g := gate.New(rdb, "toy0", 10)
	drain(t, g)
	if s := look(t, g); s.Backlog != 0 {
		t.Errorf("Look = %+v; want an empty stream", s)
	}
	tear(t, g.Keep(t.Context(), soon()))
	if m, err := g.Mend(t.Context(), nil, nil); err != nil || m != (gate.Mended{}) {
		t.Errorf("Mend = %+v, %v", m, err)
	}
}

func soon() time.Time { return time.Now().Add(time.Hour) }
