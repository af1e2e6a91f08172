package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/bench/internal/command"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
)

// buckets of the gate on the Cluster.
const buckets = 10

// onCluster compares one bucket on one node with ten over three, sees how they
// spread, and holds sales at random.
func onCluster(ctx context.Context, o options, out, progress io.Writer) error {
	owner := &testserver.Measurement{}
	defer owner.End()
	command.Say(progress, "a Cluster of three nodes")
	c := testserver.StartRedisCluster(owner)
	rdb := c.Client()
	if err := loadEverywhere(ctx, rdb); err != nil {
		return err
	}
	command.Say(out, "\n| on a Cluster of three nodes, with a replica each | a second | node 1 | node 2 | node 3 | CPU of the busiest, a reserve |\n|---|---:|---:|---:|---:|---:|")
	for _, l := range lots {
		s, spread, err := spreadOf(ctx, o, c, rdb, l)
		if err != nil {
			return err
		}
		command.Say(out, "| %s | %.0f | %.0f %% | %.0f %% | %.0f %% | %v |", l.name, s.perSecond(), spread[0], spread[1], spread[2],
			s.each())
	}
	found, took, err := salesAtRandom(ctx, o, rdb)
	if err != nil {
		return err
	}
	command.Say(out, "\n%d sales at random of %d units in %d buckets, to %d buyers each: all %d were sold in %d of them, in %v a sale.",
		o.sales, saleUnits, buckets, saleBuyers, saleUnits, found, (took / time.Duration(o.sales)).Round(time.Millisecond))
	return nil
}

// loadEverywhere puts the scripts on every primary.
func loadEverywhere(ctx context.Context, rdb *redis.ClusterClient) error {
	return rdb.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return gate.Load(ctx, node) })
}

// lots are the gates that are compared. The account of who is signed in and the
// ticket have homes of their own, as a rule; that of who is not is the ticket's.
var lots = []lot{
	{"one bucket", "one", 1, request},
	{fmt.Sprintf("%d buckets, signed in", buckets), "signed", buckets, request},
	{fmt.Sprintf("%d buckets, anonymous", buckets), "anonymous", buckets, anonymous},
}

type lot struct {
	name, key string
	buckets   int
	request   func(int64) gate.Request
}

// anonymous is the ask of somebody without an account.
func anonymous(i int64) gate.Request {
	r := request(i)
	r.Account = r.Ticket
	return r
}

// spreadOf measures a gate, and what part of the winners each primary
// was given. The CPU is that of the primary that took most: it bounds what a
// Cluster bears whose nodes have cores of their own.
func spreadOf(ctx context.Context, o options, c *testserver.RedisCluster, rdb *redis.ClusterClient, l lot) (s speed, spread [nodes]float64, err error) {
	g := gate.New(rdb, "golden-toy-"+l.key, l.buckets)
	if err := build(ctx, g, 1<<30); err != nil {
		return s, spread, err
	}
	before, err := tallies(c)
	if err != nil {
		return s, spread, err
	}
	s.reserves = o.reserves
	if s.took, err = crowd(ctx, o, g, l.request); err != nil {
		return s, spread, err
	}
	after, err := tallies(c)
	sum := 0.0
	for i := range after {
		spread[i] = after[i].winners - before[i].winners
		sum += spread[i]
		s.cpu = max(s.cpu, after[i].cpu-before[i].cpu)
	}
	for i := range spread {
		spread[i] *= 100 / sum
	}
	return s, spread, err
}

// nodes is how many primaries the Cluster has.
const nodes = 3

// tally is what a node says that it did so far.
type tally struct {
	winners float64       // that were appended
	cpu     time.Duration // that it took
}

var (
	xadds = regexp.MustCompile(`cmdstat_xadd:calls=(\d+)`)
	cpus  = regexp.MustCompile(`used_cpu_(?:user|sys):([0-9.]+)`)
)

// tallies asks each primary.
func tallies(c *testserver.RedisCluster) (all [nodes]tally, err error) {
	for i := range all {
		said, err := c.Nodes[i].Do("INFO", "everything")
		if err != nil {
			return all, err
		}
		text := fmt.Sprint(said)
		if m := xadds.FindStringSubmatch(text); m != nil {
			all[i].winners, _ = strconv.ParseFloat(m[1], 64)
		}
		for _, m := range cpus.FindAllStringSubmatch(text, -1) {
			seconds, _ := strconv.ParseFloat(m[1], 64)
			all[i].cpu += time.Duration(seconds * float64(time.Second))
		}
	}
	return all, nil
}
