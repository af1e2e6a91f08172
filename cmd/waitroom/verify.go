package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/queueing"
)

// verifying are the flags of the command.
type verifying struct {
	numbers    []uint
	behind     []uint // numbers behind the draw
	commitment string // noted before the draw; empty: none was
}

func newVerify() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify [STATUS.json]",
		Short: "Compute a draw again from what was published",
		Long: "Reads a sale's status document, as served after the draw at /.waitroom/SALE/status, from a\n" +
			"file or from standard input; checks that the seed fits the commitment, and says which places\n" +
			"the numbers got. The commitment proves something only to who has seen it before the draw, so\n" +
			"note it while the doors are open and give it here. docs/draw.md tells how to do the same\n" +
			"without this program.\n\n" +
			"The exit code is 1 if the seed does not fit or the draw is not over, 2 if what was read is no\n" +
			"status document of a sale.",
		Example: "  curl -s https://shop.example.com/.waitroom/golden-toy/status | waitroom verify --number 4711 --commitment 630dcd29…",
		Args:    wiring.Files(0, 1),
	}
	var v verifying
	f := cmd.Flags()
	f.UintSliceVar(&v.numbers, "number", nil, "an entry `number` to place, from 0; may be given more than once")
	f.UintSliceVar(&v.behind, "behind", nil, "a `number` of those behind the draw, from 0; may be given more than once")
	f.Lookup("number").DefValue, f.Lookup("behind").DefValue = "", "" // or the help says "default []"
	f.StringVar(&v.commitment, "commitment", "", "the one that you noted before the draw, in `hex`")
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
		return v.verify(in, cmd.OutOrStdout())
	}
	return cmd
}

// errNotCommitted means that the draw was not made with the promised secret.
var errNotCommitted = errors.New("the seed is NOT the one that was committed to")

func (v *verifying) verify(in io.Reader, out io.Writer) error {
	p, err := readPublished(in)
	if err != nil {
		return err
	}
	seed, err := queueing.ParseSeed(p.Seed)
	if err != nil {
		return &wiring.UsageError{Err: err}
	}
	say(out, "%s: %d took part in the draw", p.key(), *p.Drawn)
	if err := v.committed(out, p, seed.Commitment()); err != nil {
		return err
	}
	if p.Mixed != "" {
		say(out, "mixed in    %q, published as %q; look it up there, for the draw is fair only if it is the true one", p.Mixed, p.Mix)
	}
	draw := queueing.NewDraw(seed, p.key(), *p.Drawn, p.Mixed)
	for _, n := range v.numbers {
		say(out, "number %d %s", n, p.placed(draw, queueing.Number{Value: uint64(n)}))
	}
	for _, n := range v.behind {
		say(out, "number %d behind the draw %s", n, p.placed(draw, queueing.Number{Value: uint64(n), Behind: true}))
	}
	return nil
}

// committed checks the seed's commitment against the one in the document, and
// against the one that was noted, if it was: only that one can prove anything.
func (v *verifying) committed(out io.Writer, p *published, is string) error {
	noted := strings.ToLower(strings.TrimSpace(v.commitment))
	switch {
	case is != p.Commitment:
		return fmt.Errorf("%w: its SHA-256 is %s, the document says %s", errNotCommitted, is, p.Commitment)
	case noted != "" && noted != is:
		return fmt.Errorf("%w: its SHA-256 is %s, noted before the draw was %s", errNotCommitted, is, noted)
	}
	say(out, "commitment  %s", is)
	if noted != "" {
		say(out, "            the seed is the one that was committed to: this was noted before the draw")
		return nil
	}
	say(out, "            the seed fits it. Was it the same before the draw? This document cannot tell;\n"+
		"            who noted it then compares, or gives it with --commitment")
	return nil
}

// placed says where a number stands.
func (p *published) placed(draw queueing.Draw, n queueing.Number) string {
	switch {
	case n.Behind && n.Value >= p.Behind:
		return fmt.Sprintf("was not given: %d stand there, and numbers begin at 0", p.Behind)
	case n.Behind:
		return fmt.Sprintf("has place %d", *p.Drawn+n.Value)
	case p.Entered != nil && n.Value >= *p.Entered:
		return fmt.Sprintf("was not given: %d entered, and numbers begin at 0", *p.Entered)
	case n.Value < *p.Drawn:
		return fmt.Sprintf("has place %d", draw.Place(n.Value))
	case n.Value < *p.Drawn+p.Behind:
		return fmt.Sprintf("was not given: it is that of number %d behind the draw", n.Value-*p.Drawn)
	}
	return fmt.Sprintf("has place %d (came after the draw)", n.Value)
}
