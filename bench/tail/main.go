// Command tail plays thousands of sales, no two alike, to the verdicts of package
// shedding, and says of those who were told that it is hopeless how many would have
// got a unit had they stayed.
//
// The verdicts are the real ones; the line moves much as queueing's does, and the crowd
// is made up. With -write the figures go into docs/tail.md, and the plot beside it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/waitroom/waitroom/bench/internal/command"
)

func main() { command.Main(run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	f := flag.NewFlagSet("tail", flag.ContinueOnError)
	f.SetOutput(progress)
	sales := f.Int("sales", 2000, "how many are played for each certainty")
	seed := f.Uint64("seed", 1, "of all that is left to chance")
	write := f.Bool("write", false, "put the figures into docs/tail.md, and the plot into docs/tail.svg")
	if err := command.Parse(f, args); err != nil {
		return err
	}
	if *sales < 1 {
		return fmt.Errorf("-sales %d: want one at least", *sales)
	}
	var all []result
	for _, certainty := range []float64{0.9, 0.99, 0.999} {
		command.Say(progress, "%d sales, certainty %v", *sales, certainty)
		r, err := measure(ctx, options{sales: *sales, seed: *seed, certainty: certainty})
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	command.Say(progress, "%d sales, and whoever is told leaves", *sales)
	left, err := measure(ctx, options{sales: *sales, seed: *seed, certainty: 0.999, leave: true})
	if err != nil {
		return err
	}
	text := table(all, left.sold, *sales, *seed)
	command.Say(out, "%s", text)
	if !*write {
		return nil
	}
	return errors.Join(put("docs/tail.md", text), os.WriteFile("docs/tail.svg", []byte(plot(all)), 0o644))
}
