// Command entries measures what a crowd that joins a line costs Redis: memory,
// calls and time, over one edge and over three, and then the memory of its
// claims. The Redis is a real one of its own; each edge is a line of its own
// with a client of its own, as in the edge's program.
//
// It judges nothing: it prints what the server says of itself, as tables in
// Markdown. Beside the line stands a sorted set with a member for each who
// waits, which is how lines are often kept.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"

	"github.com/waitroom/waitroom/bench/internal/command"
)

func main() { command.Main(run) }

// options are the flags.
type options struct {
	entries  int
	together int // how many are on their way at a time, at each edge
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	var o options
	f := flag.NewFlagSet("entries", flag.ContinueOnError)
	f.SetOutput(progress)
	f.IntVar(&o.entries, "entries", 1_000_000, "how many join")
	f.IntVar(&o.together, "together", 2000, "how many of them wait for their number at a time, at each edge")
	if err := command.Parse(f, args); err != nil {
		return err
	}
	if min(o.entries, o.together) < 1 {
		return errors.New("-entries, -together: want 1 or more")
	}
	command.Say(out, "%d join, at most %d at a time at each edge; %s/%s, %d cores, %s.\n",
		o.entries, o.together, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	var all []result
	for _, c := range columns {
		command.Say(progress, "%s", c.name)
		r, err := measure(ctx, o, c)
		if err != nil {
			return fmt.Errorf("measure %s: %w", c.name, err)
		}
		all = append(all, r)
	}
	print(out, all)
	return nil
}
