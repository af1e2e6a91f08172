// Command reserve measures how many units a second the gate gives, as the
// package does it, beside the same script sent by redis-benchmark: the same
// server, the same keys and arguments, as many connections and as much on its way
// at a time, in the same run.
//
// With -cluster it measures, besides, what a Cluster of three nodes gains: ten
// buckets over its nodes beside one bucket on one node, how the reserves spread,
// and whether the last units are found.
//
// It judges nothing: it prints what it saw, as tables in Markdown.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"runtime"

	"github.com/waitroom/waitroom/bench/internal/command"
)

func main() { command.Main(run) }

// options are the flags.
type options struct {
	reserves int // in each measurement
	conns    int // to Redis
	pipeline int // reserves on their way on each
	rounds   int
	cluster  bool
	sales    int // at random, on the Cluster
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	o := options{}
	f := flag.NewFlagSet("reserve", flag.ContinueOnError)
	f.SetOutput(progress)
	f.IntVar(&o.reserves, "reserves", 40_000, "how many units are reserved in each measurement")
	f.IntVar(&o.conns, "conns", 3, "connections to Redis, as many as the gate uses for a bucket")
	f.IntVar(&o.pipeline, "pipeline", 21, "reserves on their way on each")
	f.IntVar(&o.rounds, "rounds", 15, "how often all is measured, in turn")
	f.BoolVar(&o.cluster, "cluster", false, "measure a Cluster, too")
	f.IntVar(&o.sales, "sales", 1000, "sales of 100 units at random on the Cluster")
	if err := command.Parse(f, args); err != nil {
		return err
	}
	if min(o.reserves, o.conns, o.pipeline, o.rounds, o.sales) < 1 {
		return errors.New("-reserves, -conns, -pipeline, -rounds, -sales: want 1 or more")
	}
	command.Say(out, "%d reserves over %d connections, %d on their way on each; %s/%s, %d cores, %s.\n",
		o.reserves, o.conns, o.pipeline, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	var rounds []round
	for i := range o.rounds {
		command.Say(progress, "round %d of %d", i+1, o.rounds)
		r, err := measure(ctx, o)
		if err != nil {
			return err
		}
		rounds = append(rounds, r)
	}
	printRounds(out, rounds)
	if !o.cluster {
		return nil
	}
	return onCluster(ctx, o, out, progress)
}
