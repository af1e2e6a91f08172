package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/cmd/internal/survey"
	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy"
	"github.com/waitroom/waitroom/proxy/certs"
	"github.com/waitroom/waitroom/shedding"
)

func newCheck() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check FILE…",
		Short: "Check files and say in plain words what they mean",
		Long: "Checks an operator's file with the files of sales and rooms that it names, or files of\n" +
			"sales and rooms alone, those beside the others that the operator's file near them names.\n" +
			"Every fault is reported, as file:line:column. The exit code is 2\n" +
			"if there is one. With --connect the stores are asked, too, whether they are fit for a\n" +
			"sale, and whether they have open sales as the files do; it is 1 if they are not fit, or\n" +
			"books and gate are not alike, and 2 if a file says what is not in force.",
		Args: wiring.Files(1, 0),
	}
	connect := cmd.Flags().Bool("connect", false, "ask Redis and Postgres, too, whether they are fit")
	cmd.RunE = func(cmd *cobra.Command, files []string) error {
		if *connect && !slices.ContainsFunc(files, func(f string) bool { return !configs.IsSaleFile(f) }) {
			return &wiring.UsageError{Err: errors.New("--connect: the stores are in the operator's file, name that one")}
		}
		now := time.Now()
		var faults configs.Faults
		for _, file := range files {
			words, err := meaning(file, now)
			if f, ok := errors.AsType[configs.Faults](err); ok {
				faults = append(faults, f...)
			} else if err != nil {
				return err
			} else {
				_, _ = fmt.Fprintln(cmd.OutOrStdout(), words)
			}
		}
		if len(faults) == 0 {
			var warnings []string
			warnings, faults = besides(files, now)
			_, _ = io.WriteString(cmd.OutOrStdout(), strings.Join(warnings, ""))
		}
		switch {
		case len(faults) > 0:
			return faults
		case *connect:
			return askStores(cmd.Context(), files, cmd.OutOrStdout())
		}
		return nil
	}
	return cmd
}

// errUnfit makes the exit code of check 1.
var errUnfit = errors.New("the stores are not fit for a sale")

// askStores says whether those that operators' files name are fit.
func askStores(ctx context.Context, files []string, out io.Writer) error {
	faulty := false
	var overruled configs.Faults
	for _, file := range files {
		if configs.IsSaleFile(file) {
			continue
		}
		cfg, err := wiring.Load(file)
		if err != nil {
			return err
		}
		faults, apart, err := wiring.Compare(ctx, cfg)
		if err != nil {
			return err
		}
		overruled = append(overruled, faults...)
		for _, words := range apart {
			_, _ = fmt.Fprintln(out, words)
			faulty = true
		}
		if cfg.Embedded() {
			_, _ = fmt.Fprintln(out, "The stores are inside the program: there is nobody to ask.")
			continue
		}
		found, err := wiring.Survey(ctx, cfg)
		if err != nil {
			return err
		}
		for _, f := range found {
			_, _ = fmt.Fprintln(out, f)
		}
		if len(found) == 0 {
			_, _ = fmt.Fprintln(out, "The stores are fit for a sale.")
		}
		faulty = faulty || survey.Faulty(found)
	}
	switch {
	case len(overruled) > 0:
		return overruled
	case faulty:
		return errUnfit
	}
	return nil
}

// firstTold is how many people are ahead of the first who is told at the opening that
// it is hopeless, before anything is known but what the file says.
func firstTold(sale *configs.Sale) (ahead int, ok bool) {
	opening := shedding.Sight{Now: sale.Opens, Open: true, Rate: sale.Admit.PerSecond(), Left: sale.Stock}
	first, ok := shedding.Tail{}.Next(shedding.TermsOf(sale), opening).HopelessAhead(0)
	return int(first), ok //nolint:gosec // a place in line
}

// meaning is what a file says, in plain words.
func meaning(file string, now time.Time) (string, error) {
	if !configs.IsSaleFile(file) {
		cfg, err := wiring.Load(file)
		if err != nil {
			return "", err
		}
		if faults := cfg.Absent(); len(faults) > 0 {
			return "", faults
		}
		if _, err := proxy.NewBrands(cfg, nil); err != nil {
			return "", err
		}
		words := cfg.Summary(now, firstTold)
		bare, err := certs.Bare(cfg)
		for _, d := range bare {
			words += fmt.Sprintf("\nwarning: tls.files: no certificate is for %s, the first one is served\n", d)
		}
		for _, f := range cfg.Unread() {
			words += fmt.Sprintf("\nwarning: %s\n", f)
		}
		return words, err
	}
	sale, room, err := configs.LoadSaleFile(file, now)
	switch {
	case err != nil:
		return "", err
	case room != nil:
		_, err := proxy.NewBrands(&configs.Config{Rooms: []configs.Room{*room}}, nil)
		return room.Summary() + named(file), err
	}
	if _, err := proxy.NewBrands(&configs.Config{Sales: []configs.Sale{*sale}}, nil); err != nil {
		return "", err
	}
	return sale.Summary(now, firstTold) + named(file), nil
}

// named warns of a name that the pattern of most operators' files would not match.
func named(file string) string {
	if filepath.Ext(file) == ".yaml" {
		return ""
	}
	return fmt.Sprintf("\nwarning: %s: the operator's file says under sales which names are read, mostly those that end in .yaml\n", file)
}
