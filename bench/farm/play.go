package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"slices"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy/challenge"
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/shedding"
)

var stocks = []int{100, 1000}

// result is what came of a scene.
type result struct {
	scene
	tickets [2]int         // in the draw: of the honest, of the farm
	wins    []int          // of the farm, for each of stocks
	waits   []float64      // seconds of work of each honest shopper on a phone
	came    map[string]int // honest, by network
	behind  map[string]int // of them, those put behind the draw
	late    map[string]int // of them, those who had no ticket by the draw
}

// stage is the edge: its line, and what stands before it.
type stage struct {
	scene
	redis   *miniredis.Miniredis
	rdb     *redis.Client
	line    *queueing.Rehearsal
	address *shedding.Limiter
	block   *shedding.Limiter
	load    challenge.Load
	rng     *rand.Rand
	begin   time.Time
	budget  float64 // hashes that the farm has not used yet
	owners  map[queueing.Number]bool
	result
}

// play lets everybody come, and draws.
func play(ctx context.Context, o options, s scene) (result, error) {
	st := open(o, s)
	defer st.close()
	honest := honest(o.honest, s.doors, st.rng)
	for i := range honest {
		st.came[honest[i].kind]++
		if s.proof && honest[i].speed > 0 {
			honest[i].comes += st.work(&honest[i])
		}
	}
	queue := append(honest, s.farm.wishes(o.farm)...)
	for second := time.Duration(0); second < s.doors && len(queue) > 0; second += time.Second {
		now := st.begin.Add(second)
		st.redis.SetTime(now)
		st.budget = math.Min(st.budget, s.hashes) + s.hashes // what waits in vain is not saved up
		st.rng.Shuffle(len(queue), func(i, j int) { queue[i], queue[j] = queue[j], queue[i] })
		var err error
		if queue, err = st.second(ctx, queue, second, now); err != nil {
			return result{}, err
		}
	}
	for _, w := range queue {
		if !w.farm {
			st.late[w.kind]++
		}
	}
	return st.result, st.draw(ctx)
}

func open(o options, s scene) *stage {
	m := miniredis.NewMiniRedis()
	st := &stage{
		scene: s, redis: m,
		rdb: redis.NewClient(&redis.Options{
			Dialer:      func(context.Context, string, string) (net.Conn, error) { return m.Dial() },
			ReadTimeout: -1, WriteTimeout: -1, MaxRetries: -1, PoolSize: 1, DisableIdentity: true,
		}),
		begin: time.Date(2027, 11, 26, 9, 30, 0, 0, time.UTC),
		rng:   rand.New(rand.NewPCG(o.seed, 1)), owners: map[queueing.Number]bool{},
		result: result{scene: s, came: map[string]int{}, behind: map[string]int{}, late: map[string]int{}},
	}
	sale := &configs.Sale{
		ID: "toy", Key: "toy", Doors: st.begin, Opens: st.begin.Add(s.doors), Closes: st.begin.Add(s.doors + time.Hour),
		Admit: configs.Rate{Count: 2000, Per: time.Second}, Burst: 200, OneTicketPerAccount: s.account,
	}
	seed := sha256.Sum256(binary.BigEndian.AppendUint64(nil, o.seed))
	st.line = queueing.NewRehearsal(st.rdb, sale, seed)
	st.address = shedding.NewAddressLimiter(s.address, s.address.Rate.Count, 1<<17)
	st.block = shedding.NewCap(s.defence.block.Join, s.defence.block.Burst, 1<<17)
	return st
}

func (st *stage) close() {
	_ = st.rdb.Close()
	st.redis.Close()
}

// second takes all wishes of one second that can be met, and gives the others back.
func (st *stage) second(ctx context.Context, queue []wish, after time.Duration, now time.Time) (left []wish, err error) {
	var entering []wish
	var entries []queueing.Entry
	for _, w := range queue {
		if w.comes > after {
			left = append(left, w)
			continue
		}
		e, ok := st.enter(w, now)
		if !ok {
			left = append(left, w)
			continue
		}
		entering, entries = append(entering, w), append(entries, e)
	}
	for chunk := range slices.Chunk(entries, 500) {
		numbers, errs, err := st.line.EnterAll(ctx, chunk)
		if err != nil {
			return nil, fmt.Errorf("enter: %w", err)
		}
		for i, n := range numbers {
			if errs[i] != nil {
				return nil, fmt.Errorf("enter: %w", errs[i])
			}
			st.given(entering[i], n)
		}
		entering = entering[len(chunk):]
	}
	return left, nil
}

// enter is what the edge does before the line: a ticket of the address, what is
// asked, and one of the block. ok is false for who tries again. A farm knows where
// it can have nothing yet, and wastes no work there.
func (st *stage) enter(w wish, now time.Time) (e queueing.Entry, ok bool) {
	block := "toy " + shedding.BlockKey(w.addr)
	address := shedding.AddressKey(w.addr)
	if w.farm && (st.address.Wait(address, now) > 0 || st.block.Wait(block, now) > 0 || !st.pays(now)) {
		return e, false
	}
	if _, ok := st.address.Allow(address, now); !ok {
		return e, false
	}
	if st.account {
		e.Account = w.account
	}
	switch {
	case st.proof && (w.farm && st.hasty || !w.farm && w.speed == 0), st.least && w.farm && st.hasty:
		e.Behind = true
		return e, true
	}
	if st.proof {
		c := challenge.New(0, now)
		e.Proof = queueing.Proof{ID: c.ID, Ends: c.Expires()}
		st.load.Accepted(now)
	}
	_, room := st.block.Allow(block, now)
	e.Behind = !room
	return e, true
}

// pays takes the hashes of a proof from what the farm has.
func (st *stage) pays(now time.Time) bool {
	if !st.proof || st.hasty {
		return true
	}
	if st.budget <= 0 {
		return false
	}
	st.budget -= st.hashesFor(challenge.Bits(st.load.PerSecond(now)))
	return true
}

// hashesFor draws how many hashes a proof takes: the sum of geometric numbers.
func (st *stage) hashesFor(bits int) (sum float64) {
	for range challenge.Puzzles {
		sum += st.rng.ExpFloat64() * math.Exp2(float64(bits))
	}
	return sum
}

// work is for how long an honest shopper's device works, at the hardest.
func (st *stage) work(w *wish) time.Duration {
	seconds := st.hashesFor(challenge.MostBits) / w.speed
	if w.speed == phoneSpeed {
		st.waits = append(st.waits, seconds)
	}
	return time.Duration(seconds * float64(time.Second))
}

// given notes a ticket. An account that comes again has the one that it has.
func (st *stage) given(w wish, n queueing.Number) {
	if n.Behind {
		if !w.farm {
			st.behind[w.kind]++
		}
		return
	}
	if _, again := st.owners[n]; again {
		return
	}
	st.owners[n] = w.farm
	if w.farm {
		st.tickets[1]++
	} else {
		st.tickets[0]++
	}
}

// draw holds the draw and counts the farm's among the first places.
func (st *stage) draw(ctx context.Context) error {
	st.redis.SetTime(st.begin.Add(st.doors + time.Second))
	s, err := st.line.Tick(ctx, true, queueing.Stock{})
	if err != nil {
		return fmt.Errorf("draw: %w", err)
	}
	if !s.Drawn {
		return fmt.Errorf("draw: the line is %s", s.State)
	}
	wins := make([]int, len(stocks))
	for n, farm := range st.owners {
		place, ok := s.Place(n)
		for i, stock := range stocks {
			if ok && farm && place < uint64(stock) {
				wins[i]++
			}
		}
	}
	st.wins = wins
	return nil
}
