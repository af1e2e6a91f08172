package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/internal/demo/crowd"
)

// newCrowd is the crowd as a process of its own, for the demo and the benchmark.
func newCrowd() *cobra.Command {
	return &cobra.Command{
		Use: "crowd", Short: "Send a demo's crowd", Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return crowd.Obey(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}

// sendCrowd runs a crowd in a process of this program and returns its report.
func sendCrowd(ctx context.Context, b crowd.Brief, progress func(crowd.Tally), errs io.Writer) (crowd.Report, error) {
	self, err := os.Executable()
	if err != nil {
		return crowd.Report{}, err
	}
	return crowd.Send(ctx, []string{self, "crowd"}, b, progress, errs)
}
