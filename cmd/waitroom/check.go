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
		Long: "Checks an operator's file with the files of sales and rooms that it names, or files of\n" +
			"sales and rooms alone. Every fault is reported, as file:line:column. The exit code is 2\n" +
			"if there is one.",
		Args: wiring.Files(1, 0),
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
		if faults := cfg.Absent(); len(faults) > 0 {
			return "", faults
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
