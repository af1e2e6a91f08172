package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/internal/demo/crowd"
)

// crowdOrder is what the process of a crowd is told, as JSON on its standard
// input.
type crowdOrder struct {
	crowd.Options
	CA string // PEM of who vouches for the edge
}

// crowdWord is one line of what it says: how it goes, and at the end the report.
type crowdWord struct {
	Tally  *crowd.Tally  `json:",omitempty"`
	Report *crowd.Report `json:",omitempty"`
}

// newCrowd is the crowd as a process of its own: people do not share memory,
// files and a garbage collector with the door they stand at.
func newCrowd() *cobra.Command {
	return &cobra.Command{
		Use: "crowd", Short: "Send a demo's crowd", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var o crowdOrder
			if err := json.NewDecoder(cmd.InOrStdin()).Decode(&o); err != nil {
				return fmt.Errorf("read order: %w", err)
			}
			o.RootCAs = x509.NewCertPool()
			o.RootCAs.AppendCertsFromPEM([]byte(o.CA))
			out := json.NewEncoder(cmd.OutOrStdout())
			o.Progress = func(t crowd.Tally) { _ = out.Encode(crowdWord{Tally: &t}) }
			report, err := crowd.Run(cmd.Context(), o.Options)
			if err != nil {
				return err
			}
			return out.Encode(crowdWord{Report: &report})
		},
	}
}

// sendCrowd runs a crowd in a process of its own and returns its report. When
// ctx ends the crowd goes home and still reports.
func sendCrowd(ctx context.Context, o crowdOrder, progress func(crowd.Tally), errs io.Writer) (crowd.Report, error) {
	self, err := os.Executable()
	if err != nil {
		return crowd.Report{}, err
	}
	order, err := json.Marshal(o)
	if err != nil {
		return crowd.Report{}, err
	}
	cmd := exec.CommandContext(ctx, self, "crowd")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stdin, cmd.Stderr = bytes.NewReader(order), errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		return crowd.Report{}, err
	}
	if err := cmd.Start(); err != nil {
		return crowd.Report{}, fmt.Errorf("send crowd: %w", err)
	}
	report, err := hear(out, progress)
	if report == nil {
		return crowd.Report{}, fmt.Errorf("send crowd: %w", errors.Join(err, cmd.Wait()))
	}
	_ = cmd.Wait() // it has said all; an end by signal is how ctx ends it
	return *report, nil
}

func hear(out io.Reader, progress func(crowd.Tally)) (*crowd.Report, error) {
	words := json.NewDecoder(out)
	for {
		var w crowdWord
		if err := words.Decode(&w); err != nil {
			return nil, err
		}
		if w.Report != nil {
			return w.Report, nil
		}
		if w.Tally != nil {
			progress(*w.Tally)
		}
	}
}
