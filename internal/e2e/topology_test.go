package e2e_test

import (
	"math/rand/v2"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/internal/testserver"
)

// Where a sale keeps what it keeps in Redis. In a Cluster they may be on
// different nodes.
const (
	gateKey = "wr:{gate:" + saleID + "/0}:state"
	lineKey = "wr:{line:" + saleID + "}"
)

// topology is several Redis servers that stand in for each other.
type topology struct {
	url    string
	rdb    redis.UniversalClient
	each   time.Duration // most that a failover takes until all is whole again
	faults []failover
}

// failover is a way in which another node becomes the one that is asked.
type failover struct {
	name   string
	strike func()
	heal   func() // makes it whole again
	loses  bool   // the last writes may be forgotten
	paused bool   // the sale has to be, so that none are
	twin   bool   // the other topology plays it too, and faster
}

// long reports whether every failover is played on every topology, rather than each
// kind once.
func long() bool { return os.Getenv("WAITROOM_ROUNDS") != "" }

func healthy() {}

func sentinels(t *testing.T) topology {
	s := testserver.StartSentinels(t)
	killed := func(before func(*testserver.RedisServer)) (strike, heal func()) {
		var old *testserver.RedisServer
		return func() {
				old = s.Primary()
				before(old)
				old.Kill()
				s.AwaitPrimary(old)
			}, func() {
				old.Start()
				old.JoinReplicas() // the Sentinels made it write down that they are cut off
				s.AwaitReplicas()
			}
	}
	dies, comesBack := killed(func(*testserver.RedisServer) {})
	diesAlone, comesBackAlone := killed(func(p *testserver.RedisServer) {
		p.CutReplicas()
		pause(t.Context(), 300*time.Millisecond)
	})
	var still *testserver.RedisServer
	promote := func() { s.Promote() }
	return topology{s.URL, s.Client(), 15 * time.Second, []failover{
		{name: "the primary is killed", strike: dies, heal: comesBack, loses: true, twin: true},
		{name: "the primary is killed with 0.3 s that no replica has heard", strike: diesAlone, heal: comesBackAlone, loses: true},
		{name: "the primary stands still", strike: func() {
			still = s.Primary()
			still.Pause()
			s.AwaitPrimary(still)
		}, heal: func() {
			still.Resume()
			s.AwaitReplicas()
		}, loses: true, twin: true},
		// The old primary takes writes until the Sentinels are done.
		{name: "SENTINEL FAILOVER", strike: promote, heal: s.AwaitReplicas, loses: true},
		{name: "SENTINEL FAILOVER while the sale is paused", strike: promote, heal: s.AwaitReplicas, paused: true},
	}}
}

func cluster(t *testing.T) topology {
	c := testserver.StartRedisCluster(t)
	var old *testserver.RedisServer
	killed := func(key string) func() {
		return func() {
			old = c.Owner(key)
			old.Kill()
			c.AwaitOwner(key, old)
		}
	}
	comesBack := func() {
		old.Start()
		c.AwaitReplicas()
	}
	moved := func(key string) func() {
		return func() {
			for _, n := range c.Nodes {
				if c.Leads(n) && n != c.Owner(key) {
					c.Migrate(key, n, func() { pause(t.Context(), 20*time.Millisecond) })
					return
				}
			}
		}
	}
	return topology{c.URL, c.Client(), 5 * time.Second, []failover{
		{name: "the primary of the gate is killed", strike: killed(gateKey), heal: comesBack, loses: true},
		{name: "the primary of the line is killed", strike: killed(lineKey), heal: comesBack, loses: true},
		{name: "CLUSTER FAILOVER of the gate", strike: func() { c.Promote(c.Owner(gateKey), false) }, heal: c.AwaitReplicas},
		{name: "CLUSTER FAILOVER of the line", strike: func() { c.Promote(c.Owner(lineKey), false) }, heal: c.AwaitReplicas},
		{name: "the slot of the gate is moved", strike: moved(gateKey), heal: healthy},
		{name: "the slot of the line is moved", strike: moved(lineKey), heal: healthy},
		{name: "the primary of the gate stands still", strike: func() {
			old = c.Owner(gateKey)
			old.Pause()
			c.AwaitOwner(gateKey, old)
		}, heal: func() {
			old.Resume()
			c.AwaitReplicas()
		}, loses: true},
	}}
}

// TestWholeSalesOnTopologies plays whole sales while one node after the other
// takes over, in good order and otherwise.
func TestWholeSalesOnTopologies(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*testing.T) topology{"Sentinels": sentinels, "Cluster": cluster} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, loses := range []bool{false, true} {
				name := "in good order"
				if loses {
					name = "without warning"
				}
				t.Run(name, func(t *testing.T) {
					top := start(t)
					faults := top.of(loses)
					open := 10*time.Second + time.Duration(len(faults))*top.each
					r := newRoundOn(t, uint64(time.Now().UnixMilli()), failOvers(faults, loses), top.url, top.rdb, saleFile{
						opens: time.Now().Add(time.Hour).Round(time.Second), open: open,
						stock: 60, rate: max(1, int(90*time.Second/open)), burst: 3, hold: 2 * time.Second,
					})
					for _, e := range r.edges {
						e.allowActions(t)
					}
					r.start()
					r.sale.opens = time.Now().Add(untilDraw + 2*time.Second).Round(time.Second) // however long that took
					r.sale.write(t, r.sales)
					r.play()
				})
			}
		})
	}
}

// of are the failovers that are played in one sale.
func (top topology) of(loses bool) (faults []failover) {
	for _, f := range top.faults {
		if f.loses == loses && (long() || !f.twin) {
			faults = append(faults, f)
		}
	}
	return faults
}

// failOvers is one failover after the other.
func failOvers(faults []failover, loses bool) plan {
	p := plan{name: "one node takes over from another", forgets: loses, refills: loses}
	p.strikes = []strike{{300 * time.Millisecond, time.Second, func(r *round, _ *rand.Rand) {
		for _, f := range faults {
			if time.Until(r.sale.closes()) < 3*time.Second {
				r.t.Logf("%s: no time is left for it", f.name)
				continue
			}
			r.failOver(f)
		}
	}}}
	return p
}

// failOver lets one node take over, and everything become whole again.
func (r *round) failOver(f failover) {
	if f.paused {
		act(r.t, r.edges[0], http.MethodPost, "pause", "")
		eventually(r.t, "all winners are in the books", func() bool {
			snap, err := r.gate.Look(r.t.Context())
			return err == nil && snap.Backlog == 0
		})
	}
	begun := time.Now()
	f.strike()
	took := time.Since(begun)
	f.heal() // until then the old primary takes a resume, and sells
	if f.paused {
		act(r.t, r.edges[0], http.MethodPost, "resume", "")
	}
	r.t.Logf("%s: another node after %v, whole after %v", f.name, took.Round(time.Millisecond), time.Since(begun).Round(time.Millisecond))
}
