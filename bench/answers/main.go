// Command answers measures what the answers that nearly everybody gets on the day cost
// an edge, beside what nginx, HAProxy and Caddy take to give a static answer of the same
// size, or to pass a request on to the same origin.
//
// All servers are real programs with one process on one core, asked in turns in one run
// by connections of this process, which stays on another. What a request costs is the
// CPU time that the operating system charged the server for, divided by the answers that
// came, each of which was read and looked at. It judges nothing: it prints tables in
// Markdown, with the ratios to the better of nginx and HAProxy in the same round.
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
	"github.com/waitroom/waitroom/internal/testserver"
)

func main() { command.Main(run) }

// options are the flags, and where the programs are.
type options struct {
	rounds, connections, idle int
	lines                     []int
	span                      time.Duration
	rows                      []row
	peers                     []string
	programs                  string
}

const defaultRounds = 5

func parse(args []string, progress io.Writer) (o options, err error) {
	f := flag.NewFlagSet("answers", flag.ContinueOnError)
	f.SetOutput(progress)
	f.IntVar(&o.rounds, "rounds", defaultRounds, "in each of which all servers are asked in turns")
	f.DurationVar(&o.span, "time", time.Second, "for which each server is asked in each row and round")
	f.IntVar(&o.connections, "connections", 64, "that ask at the same time")
	f.IntVar(&o.idle, "idle", 15_000, "connections that are held in the rows idle-many")
	longest := f.Int("line", 1_000_000, "people in the longest line of the row line; the others are a tenth of the next")
	rows := f.String("rows", "", "names of rows, or how they begin, between commas; none: all")
	peers := f.String("peers", "nginx,haproxy,caddy", "that are measured beside waitroom")
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	if min(o.rounds, o.connections, o.idle, *longest) < 1 || o.span < time.Millisecond {
		return o, errors.New("-rounds, -connections, -idle, -line: want 1 or more; -time: want 1ms or more")
	}
	for n := *longest; len(o.lines) < 4 && n > 0; n /= 10 {
		o.lines = append([]int{n}, o.lines...)
	}
	if o.peers, err = peersNamed(*peers); err != nil {
		return o, err
	}
	o.rows, err = rowsNamed(*rows, o.idle)
	return o, err
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
	command.Say(progress, "building")
	if err := build(ctx, o); err != nil {
		return err
	}
	pinned := stay(generatorsCore)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	owner := &testserver.Measurement{}
	defer owner.End()
	st, err := open(ctx, owner, o, pinned)
	if err != nil {
		return err
	}
	command.Say(out, "%s\n\nBytes of the bodies: %s.\n", machine(st, o, pinned), strings.Join(st.bodies, ", "))
	r, err := st.measureAll(ctx, o, progress)
	r.print(out, st.names()) // also what there is when one is at fault
	command.Say(out, "\nLoad of the machine at the end: %s.", load())
	return err
}

// resting is how long each server is looked at in each round while nobody asks it.
const resting = 2 * time.Second

// measureAll goes through the rows, round by round, and asks the servers in turns: who
// begins changes from round to round.
func (st *stage) measureAll(ctx context.Context, o options, progress io.Writer) (all *results, err error) {
	all = &results{rows: o.rows, of: map[string]map[string][]figures{}, rest: map[string][]float64{}}
	for i := range o.rounds {
		for _, s := range st.servers {
			if err := s.relax(ctx, resting); err != nil {
				return all, err
			}
			all.rest[s.name] = append(all.rest[s.name], s.rest)
		}
		for _, r := range o.rows {
			if r.seldom && i%defaultRounds > 0 {
				continue
			}
			got, err := r.measure(ctx, st, o, r, i)
			if err != nil {
				return all, fmt.Errorf("measure %s: %w", r.name, err)
			}
			all.add(r, got)
			command.Say(progress, "round %d of %d: %-14s %s", i+1, o.rounds, r.name, strings.Join(tell(got), "   "))
		}
	}
	return all, nil
}

// build makes our programs, and Caddy where it is to be measured.
func build(ctx context.Context, o options) error {
	if err := programs.Build(ctx, o.programs, "cmd/waitroom", "cmd/orderworker"); err != nil {
		return err
	}
	for _, name := range o.peers {
		if name == caddy {
			return buildCaddy(ctx, o.programs)
		}
	}
	return nil
}
