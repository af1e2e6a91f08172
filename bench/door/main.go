// Command door measures what a shopper who only wants to log in feels while a
// crowd is at the door, with waitroom in front of the shop and without it.
//
// It measures four situations one after the other, each with a Postgres, a
// Redis and programs of its own: the same shop with the same crowd, or with
// nobody, behind waitroom, or alone with a guarded update on one row. The shop
// looks its users up in the Postgres where the stock is, in all of them. It
// judges nothing: it prints what was seen from outside, as a table in Markdown.
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
)

func main() { command.Main(run) }

// options are the flags, and where the programs are.
type options struct {
	shoppers, stock, rounds int
	arrive, after, hold     time.Duration
	programs                string
}

func run(ctx context.Context, args []string, out, progress io.Writer) (err error) {
	var o options
	f := flag.NewFlagSet("door", flag.ContinueOnError)
	f.SetOutput(progress)
	f.IntVar(&o.shoppers, "shoppers", 20_000, "how many come")
	f.IntVar(&o.stock, "stock", 100, "units for sale")
	f.DurationVar(&o.arrive, "arrive", 20*time.Second, "over which they come")
	f.DurationVar(&o.after, "after", 10*time.Second, "for which logins go on once all have come")
	f.DurationVar(&o.hold, "hold", 6*time.Second, "time to pay behind waitroom")
	f.IntVar(&o.rounds, "rounds", 1, "how often all is measured")
	if err := command.Parse(f, args); err != nil {
		return err
	}
	if min(o.shoppers, o.stock, o.rounds) < 1 || min(o.arrive, o.after, o.hold) < time.Second {
		return errors.New("-shoppers, -stock, -rounds: want 1 or more; -arrive, -after, -hold: want 1s or more")
	}
	if o.programs, err = os.MkdirTemp("", "waitroom-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.programs)) }()
	if err := programs.Build(ctx, o.programs, "cmd/waitroom", "cmd/orderworker"); err != nil {
		return err
	}

	command.Say(out, "%d shoppers come over %v for %d units; %s/%s, %d cores, %s.\n",
		o.shoppers, o.arrive, o.stock, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	var rounds []round
	for i := range o.rounds {
		var r round
		for n, s := range situations {
			command.Say(progress, "round %d of %d: %s, %s", i+1, o.rounds, s.shop, s.street)
			if r[n], err = measure(ctx, o, s); err != nil {
				return fmt.Errorf("measure %s, %s: %w", s.shop, s.street, err)
			}
		}
		r.print(out)
		rounds = append(rounds, r)
	}
	if len(rounds) > 1 {
		printRatios(out, rounds)
	}
	return nil
}
