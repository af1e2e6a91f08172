package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
)

func newCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE…",
		Short: "Check files and say in plain words what they mean",
		Long: "Checks an operator's file with the sale files that it names, or sale files alone.\n" +
			"Every fault is reported, as file:line:column. The exit code is 2 if there is one.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &wiring.UsageError{Err: errors.New("check: name a file")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, files []string) error {
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
			if len(faults) > 0 {
				return faults
			}
			return nil
		},
	}
}

// meaning is what a file says, in plain words.
func meaning(file string, now time.Time) (string, error) {
	if !configs.IsSaleFile(file) {
		cfg, err := wiring.Load(file)
		if err != nil {
			return "", err
		}
		return cfg.Summary(now), nil
	}
	sale, room, err := configs.LoadSaleFile(file, now)
	switch {
	case err != nil:
		return "", err
	case room != nil:
		return room.Summary(), nil
	}
	return sale.Summary(now), nil
}
