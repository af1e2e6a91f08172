package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/rehearsal"
)

// errBroken means that a promise was broken; the report says which.
var errBroken = errors.New("rehearse: a promise was broken, which the report names; that is a fault of this program, please report it with the sale file and the seed")

func newRehearse() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rehearse",
		Short: "Play a sale with a simulated crowd, and say when what happens",
		Long: "Plays a whole sale in virtual time: a simulated crowd meets the real line, draw, gate and\n" +
			"verdicts, in this process alone. A million shoppers take about half a minute; each unit sold\n" +
			"adds one or two milliseconds. The same file, flags and seed give the same report.",
		Example: "  waitroom rehearse --config sales/golden-toy.yaml --shoppers 1000000\n" +
			"  waitroom rehearse --config waitroom.yaml --sale golden-toy --shoppers 50000 --no-shows 60%",
		Args: cobra.NoArgs,
	}
	o := rehearsal.Default(0)
	f := cmd.Flags()
	config := f.String("config", "waitroom.yaml", "the operator's `file`, or a sale's own")
	sale := f.String("sale", "", "`ID` of the sale; may be left out where there is one")
	asJSON := f.Bool("json", false, "print one JSON object")
	f.IntVar(&o.Shoppers, "shoppers", 0, "how many come")
	f.Uint64Var(&o.Seed, "seed", o.Seed, "of all that is left to chance")
	for name, share := range map[string]struct {
		into *float64
		help string
	}{
		"no-shows": {&o.NoShows, "of those called: are not there"},
		"return":   {&o.Return, "of those who are not there: come back and use their turn"},
		"buy":      {&o.Buy, "of those let through: press buy"},
		"pay":      {&o.Pay, "of those with a unit: pay in time"},
	} {
		f.Var((*percent)(share.into), name, share.help)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if o.Shoppers < 1 || o.Shoppers > rehearsal.MaxShoppers {
			return &wiring.UsageError{Err: fmt.Errorf("--shoppers %d: say how many come, from 1 to %d", o.Shoppers, rehearsal.MaxShoppers)}
		}
		s, err := saleToRehearse(*config, *sale, time.Now())
		if err != nil {
			return err
		}
		r, err := rehearsal.Run(cmd.Context(), s, o)
		if err != nil {
			return fmt.Errorf("rehearse %s: %w", s.ID, err)
		}
		if *asJSON {
			err = json.NewEncoder(cmd.OutOrStdout()).Encode(r)
		} else {
			_, err = fmt.Fprint(cmd.OutOrStdout(), r.Text())
		}
		if err == nil && !r.Kept() {
			err = errBroken
		}
		return err
	}
	return cmd
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
		cfg, err := wiring.Load(file)
		if err != nil {
			return nil, err
		}
		sales = cfg.Sales
	}
	var names []string
	for i := range sales {
		if sales[i].ID == id || id == "" && len(sales) == 1 {
			return &sales[i], nil
		}
		names = append(names, sales[i].ID)
	}
	switch {
	case len(names) == 0:
		return nil, &wiring.UsageError{Err: fmt.Errorf("--config %s: there is no sale in it", file)}
	case id == "":
		return nil, &wiring.UsageError{Err: fmt.Errorf("--sale: name one of %s", strings.Join(names, ", "))}
	}
	return nil, &wiring.UsageError{Err: fmt.Errorf("--sale %q: there is none of that name, but %s", id, strings.Join(names, ", "))}
}

// percent is a flag for a share, written as 40% or 40.
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
	*p = percent(n / 100)
	return nil
}
