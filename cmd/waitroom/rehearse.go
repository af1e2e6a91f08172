package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/cmd/internal/rehearsal"
	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
)

// errBroken means that a promise was broken; the report says which.
var errBroken = errors.New("rehearse: a promise was broken, which the report names; that is a fault of this program, please report it with the sale file and the seed")

// rehearsing are the flags of the command.
type rehearsing struct {
	rehearsal.Options
	config, sale string
	json         bool
}

func newRehearse() *cobra.Command { return rehearseBy(rehearsal.Run) }

// rehearseBy is the command for whatever plays the sale.
func rehearseBy(play func(context.Context, *configs.Sale, rehearsal.Options) (*rehearsal.Report, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rehearse",
		Short: "Play a sale with a simulated crowd, and say when what happens",
		Long: "Plays a whole sale in virtual time: a simulated crowd meets the real line, draw, gate and\n" +
			"verdicts, in this process alone. A million shoppers take about ten seconds, and a thousand\n" +
			"units sold one or two; where it takes long it says first how long, about. The same file,\n" +
			"flags and seed give the same report.",
		Example: "  waitroom rehearse --config sales/golden-toy.yaml --shoppers 1000000\n" +
			"  waitroom rehearse --config waitroom.yaml --sale golden-toy --shoppers 50000 --no-shows 60%",
	}
	r := rehearsing{Options: rehearsal.Default()}
	r.flags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		sale, err := saleToRehearse(r.config, r.sale, time.Now())
		if err != nil {
			return err
		}
		if takes := r.Takes(sale); takes >= patience {
			_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "this takes about %v\n", takes)
		}
		defer debug.SetGCPercent(debug.SetGCPercent(garbage))
		report, err := play(cmd.Context(), sale, r.Options)
		switch {
		case errors.Is(err, rehearsal.ErrRefused):
			return &wiring.UsageError{Err: fmt.Errorf("%s %w", sale.ID, err)}
		case err != nil:
			return fmt.Errorf("rehearse %s: %w", sale.ID, err)
		}
		return r.print(cmd.OutOrStdout(), report)
	}
	return cmd
}

const (
	patience = 5 * time.Second // for which nobody needs to be told how long it takes

	// garbage lets the heap grow to five times of what is in use before it is
	// cleared: the store in this process makes a new interpreter for each script,
	// and clearing up after them at the usual 100 costs a third of the time.
	garbage = 400
)

func (r *rehearsing) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&r.config, "config", "waitroom.yaml", "the operator's `file`, or a sale's own")
	f.StringVar(&r.sale, "sale", "", "`ID` of the sale; may be left out where there is one")
	f.BoolVar(&r.json, "json", false, "print one JSON object")
	f.IntVar(&r.Shoppers, "shoppers", 0, "how many come")
	f.Uint64Var(&r.Seed, "seed", r.Seed, "of all that is left to chance")
	f.Var((*percent)(&r.NoShows), "no-shows", "of those called: are not there")
	f.Var((*percent)(&r.Return), "return", "of those who are not there: come back and use their turn")
	f.Var((*percent)(&r.Buy), "buy", "of those let through: press buy")
	f.Var((*percent)(&r.Pay), "pay", "of those with a unit: pay in time")
}

// print writes the report, and fails if it tells of a broken promise.
func (r *rehearsing) print(out io.Writer, report *rehearsal.Report) (err error) {
	if r.json {
		err = json.NewEncoder(out).Encode(report)
	} else {
		_, err = fmt.Fprint(out, report.Text())
	}
	if err != nil {
		return fmt.Errorf("print report: %w", err)
	}
	if !report.Kept() {
		return errBroken
	}
	return nil
}

// saleToRehearse finds the sale in an operator's file or a sale's own, which needs
// no secrets. An id may be left out where there is one sale.
func saleToRehearse(file, id string, now time.Time) (*configs.Sale, error) {
	var sales []configs.Sale
	if configs.IsSaleFile(file) {
		sale, room, err := configs.LoadSaleFile(file, now)
		switch {
		case err != nil:
			return nil, err
		case room != nil:
			return nil, &wiring.UsageError{Err: fmt.Errorf("--config %s: a room has no opening and no stock, so there is nothing to rehearse; name a sale's file", file)}
		}
		sales = append(sales, *sale)
	} else {
		cfg, err := configs.LoadPlan(file, now)
		if err != nil {
			return nil, err
		}
		sales = cfg.Sales
	}
	return saleNamed(id, sales, file)
}

// percent is a flag for a share, written as 40% or 40. What is less than one percent
// needs the sign: 0.7 alone is more likely meant as 70%.
type percent float64

func (p *percent) String() string { return strconv.FormatFloat(float64(*p)*100, 'f', -1, 64) + "%" }

// Type is what the help calls it.
func (p *percent) Type() string { return "percent" }

// Set reads it.
func (p *percent) Set(text string) error {
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(n >= 0 && n <= 100) {
		return errors.New("write a share from 0% to 100%, as 40%")
	}
	if n > 0 && n < 1 && !strings.HasSuffix(text, "%") {
		return fmt.Errorf("write %.4g%%, or with the sign what it says: %s%%", n*100, text)
	}
	*p = percent(n / 100)
	return nil
}
