// Command storefront measures what shoppers who hold a reservation feel at the
// checkout while a crowd comes to the shop that it cannot serve, with as many at
// the origin as it can work on (origin.at_once: auto) and with as many as want to
// (off).
//
// One origin, a process of its own, is behind two edges, each another process, which
// are asked one after the other. It judges nothing: it prints what was seen from
// outside, as a table in Markdown.
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
	"github.com/waitroom/waitroom/bench/internal/programs"
	"github.com/waitroom/waitroom/internal/testserver"
)

func main() { command.Main(run) }

// options are the flags, and where the programs are.
type options struct {
	workers       int
	service, span time.Duration
	times         float64
	programs      string
}

// perSecond is what the shop can serve when nobody waits there.
func (o options) perSecond() float64 { return float64(o.workers) / o.service.Seconds() }

// holders is how many checkouts come in a second: a twentieth of what the shop can
// serve.
func (o options) holders() float64 { return max(1, o.perSecond()/20) }

func run(ctx context.Context, args []string, out, progress io.Writer) (err error) {
	var o options
	f := flag.NewFlagSet("storefront", flag.ContinueOnError)
	f.SetOutput(progress)
	f.IntVar(&o.workers, "workers", 8, "requests that the shop works on at once")
	f.DurationVar(&o.service, "service", 250*time.Millisecond, "for one of them")
	f.Float64Var(&o.times, "times", 10, "as many come as it can serve")
	f.DurationVar(&o.span, "span", 30*time.Second, "for each situation")
	if err := command.Parse(f, args); err != nil {
		return err
	}
	if o.workers < 1 || o.service < time.Millisecond || o.times < 0 || o.span < time.Second {
		return errors.New("-workers: want 1 or more; -service: 1ms or more; -times: 0 or more; -span: 1s or more")
	}
	if o.programs, err = os.MkdirTemp("", "waitroom-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.programs)) }()
	if err := build(ctx, o.programs); err != nil {
		return err
	}
	command.Say(out, "A shop that serves %.0f requests a second at the most, %d at once, each for %v; %.1f of them are checkouts; %s/%s, %d cores, %s.\n",
		o.perSecond(), o.workers, o.service, o.holders(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	results, err := measureAll(ctx, o, progress)
	if err != nil {
		return err
	}
	printTable(out, results)
	return nil
}

// measureAll measures all situations at one origin.
func measureAll(ctx context.Context, o options, progress io.Writer) ([]result, error) {
	owner := &testserver.Measurement{}
	defer owner.End()
	st, err := open(ctx, owner, o)
	if err != nil {
		return nil, err
	}
	var all []result
	for _, s := range situations {
		command.Say(progress, "%s, %s", s.bound, s.street)
		r, err := st.measure(ctx, o, s)
		if err != nil {
			return nil, fmt.Errorf("measure %s, %s: %w", s.bound, s.street, err)
		}
		all = append(all, r)
	}
	return all, nil
}

// build makes the programs that are measured.
func build(ctx context.Context, dir string) error {
	return programs.Build(ctx, dir, "cmd/waitroom", "bench/storefront/shop")
}
