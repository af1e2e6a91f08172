// Command refusals measures what a no costs the edge beside what it costs to pass a
// request on, in one run of the real programs: CPU and allocations for each, commands
// that reach Redis, and what a million of them leave in memory. Where nginx is
// installed its shortest no is measured beside them.
//
// What the edge does when nobody asks, ten looks a second at each sale, is measured
// first and taken away. It judges nothing: it prints a table in Markdown.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/waitroom/waitroom/bench/internal/command"
	"github.com/waitroom/waitroom/internal/testserver"
)

func main() { command.Main(run) }

// options are the flags.
type options struct {
	requests, connections, many int
	idle                        time.Duration
}

func run(ctx context.Context, args []string, out, progress io.Writer) (err error) {
	var o options
	f := flag.NewFlagSet("refusals", flag.ContinueOnError)
	f.SetOutput(progress)
	f.IntVar(&o.requests, "requests", 20_000, "of each kind, over each protocol")
	f.IntVar(&o.connections, "connections", 16, "that ask at the same time")
	f.IntVar(&o.many, "many", 1_000_000, "refusals after which memory is looked at; 0: not at all")
	f.DurationVar(&o.idle, "idle", 2*time.Second, "for which nobody asks, before each kind")
	if err := command.Parse(f, args); err != nil {
		return err
	}
	if min(o.requests, o.connections) < 1 || o.many < 0 || o.idle <= 0 {
		return errors.New("-requests, -connections: want 1 or more; -many: want 0 or more; -idle: want more than 0s")
	}
	dir, err := os.MkdirTemp("", "waitroom-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	owner := &testserver.Measurement{}
	defer owner.End()
	st, err := open(ctx, owner, dir)
	if err != nil {
		return err
	}
	command.Say(out, "%d requests of each kind over %d connections; %s/%s, %d cores, %s.\n",
		o.requests, o.connections, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	var all []result
	for _, k := range st.kinds() {
		command.Say(progress, "%s", k.name)
		r, err := st.measure(ctx, o, k)
		if err != nil {
			return fmt.Errorf("measure %s: %w", k.name, err)
		}
		all = append(all, r)
	}
	printTable(out, all)
	if o.many == 0 {
		return nil
	}
	command.Say(progress, "%d refusals", o.many)
	return st.swamp(ctx, o, out)
}
