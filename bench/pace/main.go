// Command pace measures how exactly passes keep to the rate of a sale over three
// edges, with people who are called and never come, and with one edge after the
// other stopped and started again.
//
// At the slower rates everything is real: three `waitroom run` on TLS, a worker,
// a Postgres and a Redis of its own, and a crowd that joins, reads the shared
// document, claims by POST …/pass and waits as told. At rates that no crowd on
// the same machine could reach over TLS it measures three lines, each a process
// with a queueing.Line, on one real Redis. It prints what was seen as a table in
// Markdown, and fails if there was a window with more passes than the sale
// allows; speed it does not judge.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/waitroom/waitroom/bench/internal/command"
	"github.com/waitroom/waitroom/bench/internal/programs"
	"github.com/waitroom/waitroom/configs"
)

func main() {
	command.Main(func(ctx context.Context, args []string, out, progress io.Writer) error {
		if len(args) > 0 && args[0] == edgeCommand {
			return runEdge(context.WithoutCancel(ctx), args[1:], os.Stdin, out) // ends with its input
		}
		return run(ctx, args, out, progress)
	})
}

// options are the flags, and where the programs are.
type options struct {
	doors, lines  rates
	seconds, away time.Duration
	absent        float64
	joins         int
	programs      string
}

func run(ctx context.Context, args []string, out, progress io.Writer) (err error) {
	o, err := parse(args, progress)
	if err != nil {
		return err
	}
	if o.programs, err = os.MkdirTemp("", "waitroom-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.programs)) }()
	if err := build(ctx, o.programs); err != nil {
		return err
	}
	var rows []row
	for _, part := range []struct {
		rates   rates
		through string
		open    opener
	}{{o.doors, "the front door", openDoors}, {o.lines, "the package", openLines}} {
		for _, rate := range part.rates {
			command.Say(progress, "%s through %s, for %v", rate, part.through, o.seconds)
			r, err := measure(ctx, o, rate, part.open)
			if err != nil {
				return fmt.Errorf("measure %s through %s: %w", rate, part.through, err)
			}
			r.through = part.through
			rows = append(rows, r)
		}
	}
	command.Say(out, "%.0f %% never come; one edge of three is away for %v, then another. %s/%s, %d cores, %s.\n",
		100*o.absent, o.away, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	return print(out, rows)
}

func parse(args []string, progress io.Writer) (options, error) {
	o := options{doors: rates{{Count: 30, Per: time.Second}, {Count: 1000, Per: time.Second}},
		lines: rates{{Count: 20_000, Per: time.Second}}}
	f := flag.NewFlagSet("pace", flag.ContinueOnError)
	f.SetOutput(progress)
	f.Var(&o.doors, "door", "rates through the front door, as 30/s,1000/s; off: none")
	f.Var(&o.lines, "line", "rates of the package alone, as 20000/s; off: none")
	f.DurationVar(&o.seconds, "seconds", 2*time.Minute, "how long each is measured, from a second after its opening")
	f.DurationVar(&o.away, "away", 4*time.Second, "how long an edge is away")
	f.Float64Var(&o.absent, "absent", 0.4, "the share of those who never come")
	f.IntVar(&o.joins, "joins", 1500, "tickets a second to reckon with before an opening")
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	if o.seconds < time.Second || o.seconds > time.Hour/2 || o.away < 0 || o.joins < 1 || !(o.absent >= 0 && o.absent < 1) {
		return o, errors.New("-seconds: want 1s to 30m; -away: 0s or more; -joins: 1 or more; -absent: from 0 to below 1")
	}
	return o, nil
}

// rates is a flag: a list of rates.
type rates []configs.Rate

func (r *rates) String() string {
	var all []string
	for _, one := range *r {
		all = append(all, one.String())
	}
	return strings.Join(all, ",")
}

func (r *rates) Set(text string) error {
	*r = nil
	if text == "off" {
		return nil
	}
	for one := range strings.SplitSeq(text, ",") {
		rate, err := configs.ParseRate(one)
		if err != nil {
			return err
		}
		*r = append(*r, rate)
	}
	return nil
}

// build makes the programs that are measured, and this one, of which the lines
// are processes.
func build(ctx context.Context, dir string) error {
	return programs.Build(ctx, dir, "cmd/waitroom", "cmd/orderworker", "bench/pace")
}
