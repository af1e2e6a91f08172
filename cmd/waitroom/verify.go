package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/queueing"
)

func newVerify() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify [STATUS.json]",
		Short: "Compute a draw again from what was published",
		Long: "Reads a sale's status document, as served after the draw at /.waitroom/SALE/status, from a\n" +
			"file or from standard input; checks that the seed is the one that was committed to, and says\n" +
			"which places the numbers got. docs/draw.md tells how to do the same without this program.",
		Example: "  curl -s https://shop.example.com/.waitroom/golden-toy/status | waitroom verify --number 4711",
		Args:    cobra.MaximumNArgs(1),
	}
	numbers := cmd.Flags().UintSlice("number", nil, "an entry number to place, from 0; may be given more than once")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in := cmd.InOrStdin()
		if len(args) == 1 {
			f, err := os.Open(args[0])
			if err != nil {
				return &wiring.UsageError{Err: err}
			}
			defer func() { _ = f.Close() }()
			in = f
		}
		return verify(in, cmd.OutOrStdout(), *numbers)
	}
	return cmd
}

// errNotCommitted means that the draw was not made with the promised secret.
var errNotCommitted = errors.New("the seed is NOT the one that was committed to")

// published is what verify reads of a status document.
type published struct {
	Sale       string  `json:"sale"`
	Run        string  `json:"run"` // of a sale that repeats
	Drawn      *uint64 `json:"drawn"`
	Commitment string  `json:"commitment"`
	Seed       string  `json:"seed"`
	Mix        string  `json:"mix"`   // names the public value, where there is one
	Mixed      string  `json:"mixed"` // the value
}

func verify(in io.Reader, out io.Writer, numbers []uint) error {
	var p published
	if err := json.NewDecoder(in).Decode(&p); err != nil {
		return &wiring.UsageError{Err: fmt.Errorf("read status document: %w", err)}
	}
	if p.Mix != "" && p.Mixed == "" {
		return &wiring.UsageError{Err: fmt.Errorf("the draw is not over: it waits for the value of %q", p.Mix)}
	}
	if p.Drawn == nil || p.Seed == "" {
		return &wiring.UsageError{Err: errors.New("the status document has no seed: the draw is not over")}
	}
	seed, err := queueing.ParseSeed(p.Seed)
	if err != nil {
		return &wiring.UsageError{Err: err}
	}
	sale := cmp.Or(p.Run, p.Sale)
	if seed.Commitment() != p.Commitment {
		return fmt.Errorf("%w: its SHA-256 is %s, published was %s", errNotCommitted, seed.Commitment(), p.Commitment)
	}
	say(out, "%s: the seed is the one that was committed to; %d took part", sale, *p.Drawn)
	if p.Mixed != "" {
		say(out, "mixed in: %q, published as %q; look it up there, for the draw is fair only if it is the true one", p.Mixed, p.Mix)
	}
	draw := queueing.NewDraw(seed, sale, *p.Drawn, p.Mixed)
	for _, n := range numbers {
		behind := ""
		if uint64(n) >= *p.Drawn {
			behind = " (came after the draw)"
		}
		say(out, "number %d has place %d%s", n, draw.Place(uint64(n)), behind)
	}
	return nil
}
