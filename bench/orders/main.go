// Command orders measures how many orders a second one worker writes, from a real
// stream in Redis into a real Postgres, and beside it how many pgbench writes with
// one order in each transaction: the order, its journal row and the guarded update
// of the stock row, on the same tables of the same Postgres in the same run.
//
// Both wait for the disk at every commit (synchronous_commit and fsync are on,
// which is asked of the server and printed). pgbench gets as many clients as suit
// it best, no Redis to read from and nobody to tell. It judges nothing: it prints
// what was counted, as a table in Markdown.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/waitroom/waitroom/bench/internal/command"
)

func main() { command.Main(run) }

// options are the flags.
type options struct {
	orders, buckets, rounds int
	clients                 []int
	pgbench                 time.Duration
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	o := options{clients: []int{1, 4, 8, 16, 32, 64}}
	f := flag.NewFlagSet("orders", flag.ContinueOnError)
	f.SetOutput(progress)
	f.IntVar(&o.orders, "orders", 100_000, "how many the worker writes")
	f.IntVar(&o.buckets, "buckets", 1, "of the gate")
	f.IntVar(&o.rounds, "rounds", 3, "how often all is measured")
	f.DurationVar(&o.pgbench, "pgbench", 5*time.Second, "for each number of clients")
	f.Func("clients", "of pgbench, each number measured by itself (default 1,4,8,16,32,64)", func(s string) (err error) {
		o.clients, err = numbers(s)
		return err
	})
	if err := command.Parse(f, args); err != nil {
		return err
	}
	if min(o.orders, o.buckets, o.rounds) < 1 || o.pgbench < time.Second {
		return errors.New("-orders, -buckets, -rounds: want 1 or more; -pgbench: want 1s or more")
	}
	command.Say(out, "%s, %s; %s/%s, %d cores, %s.\n",
		command.Count(o.orders, "order"), command.Count(o.buckets, "bucket"), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	var ratios []float64
	for i := range o.rounds {
		r, err := measure(ctx, o, func(what string) { command.Say(progress, "round %d of %d: %s", i+1, o.rounds, what) })
		if err != nil {
			return err
		}
		r.print(out)
		ratios = append(ratios, r.ratio())
	}
	printRatios(out, ratios)
	return nil
}

// numbers reads a list such as 1,4,8.
func numbers(s string) (list []int, err error) {
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q: want numbers of 1 or more, with commas between", s)
		}
		list = append(list, n)
	}
	return list, nil
}
