// Command farm sends a farm that wants ten thousand tickets into a lottery with ten
// thousand honest shoppers, in virtual time, and prints what share of the units the
// farm gets behind each defence, and what the defence costs the others.
//
// The line with its scripts and its draw, the buckets, the caps and the difficulty
// are the real ones; who comes, from where and with what, is made up, see people.go.
// Hashes are drawn from their distribution instead of computed. The same seed gives
// the same figures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/waitroom/waitroom/bench/internal/command"
)

func main() { command.Main(run) }

// options are the flags.
type options struct {
	honest, farm int
	doors        time.Duration
	seed         uint64
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	var o options
	f := flag.NewFlagSet("farm", flag.ContinueOnError)
	f.SetOutput(progress)
	f.IntVar(&o.honest, "honest", 10_000, "how many honest shoppers come")
	f.IntVar(&o.farm, "farm", 10_000, "how many tickets the farm wants")
	f.DurationVar(&o.doors, "doors", 30*time.Minute, "how long the lottery can be entered, as most rows have it")
	f.Uint64Var(&o.seed, "seed", 1, "of everything that is left to chance")
	if err := command.Parse(f, args); err != nil {
		return err
	}
	if min(o.honest, o.farm) < 1 || o.doors < time.Minute {
		return errors.New("-honest, -farm: want 1 or more; -doors: a minute or more")
	}
	command.Say(out, "%d honest shoppers, a farm that wants %d tickets, seed %d.\n", o.honest, o.farm, o.seed)
	var all []result
	for _, s := range scenes(o.doors) {
		command.Say(progress, "%s: %s", s.defence.name, s.farm.name)
		r, err := play(ctx, o, s)
		if err != nil {
			return fmt.Errorf("play %s: %w", s.defence.name, err)
		}
		all = append(all, r)
	}
	print(out, all)
	return nil
}
