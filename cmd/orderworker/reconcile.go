package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
)

func newReconcile() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reconcile",
		Short: "Compare books and gate, mend the gate, say what was found",
		Long: "The books win. Safe during a sale. The exit code is 0 if books and gate agree, if need be\n" +
			"after the gate was mended; 1 if they do not; 2 for a fault of the file; and 3 if a store\n" +
			"did not answer, so that it is not known whether they do.",
	}
	file := wiring.ConfigFlag(cmd)
	asJSON := cmd.Flags().Bool("json", false, "print a JSON array, one object for each sale")
	look := cmd.Flags().Bool("look", false, "only look, mend nothing")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		r := report{cmd: cmd, asJSON: *asJSON}
		return withWorker(cmd, *file, "ask it there, with worker.token as the bearer token: GET /v1/sales/{sale}/reconcile on worker.listen", wiring.OpenTaskLog, r.open, func(ctx context.Context, _ *configs.Config, w *wiring.Worker, _ *zap.Logger) error {
			return r.reconcile(ctx, w.Config(), w, !*look)
		})
	}
	return cmd
}

// errDisagree makes the exit code of reconcile 1.
var errDisagree = errors.New("books and gate do not agree")

// report says what was found, sale by sale.
type report struct {
	cmd    *cobra.Command
	asJSON bool
}

// unanswered stands in the place of a sale's balance that is not known.
type unanswered struct {
	Sale  string `json:"sale"`
	Error string `json:"error"`
}

// open opens the stores. Where they do not answer, that is said of every sale.
func (r report) open(ctx context.Context, cfg *configs.Config, log *zap.Logger) (*wiring.Worker, error) {
	w, err := wiring.OpenWorker(ctx, cfg, log)
	if _, fault := errors.AsType[configs.Faults](err); err == nil || fault {
		return w, err
	}
	var found []any
	for i := range cfg.Sales {
		found = append(found, unanswered{cfg.Sales[i].Key, err.Error()})
	}
	return nil, errors.Join(&wiring.UnansweredError{Err: err}, r.print(found))
}

// reconcile goes over all sales, also when one of them is not known.
func (r report) reconcile(ctx context.Context, cfg *configs.Config, w *wiring.Worker, mend bool) error {
	agree := true
	var found []any
	var silent []error
	for i := range cfg.Sales {
		balance, err := w.Ledger.Reconcile(ctx, &cfg.Sales[i], mend)
		if err != nil {
			silent = append(silent, err)
			found = append(found, unanswered{cfg.Sales[i].Key, err.Error()})
			continue
		}
		agree = agree && balance.Agree
		found = append(found, balance)
		if !r.asJSON {
			_, _ = fmt.Fprint(r.cmd.OutOrStdout(), balance.Table())
		}
	}
	for _, o := range cfg.Overruled() {
		if o.Key == "sales" { // open, and in no file; the others stand in their balance
			_, _ = fmt.Fprintln(r.cmd.ErrOrStderr(), o)
		}
	}
	if err := r.print(found); err != nil {
		return err
	}
	switch err := errors.Join(silent...); {
	case !agree: // what is known outweighs what is not
		return errors.Join(errDisagree, err)
	case err != nil:
		return &wiring.UnansweredError{Err: err}
	}
	return nil
}

// print writes the array that --json asks for.
func (r report) print(found []any) error {
	if !r.asJSON {
		return nil
	}
	if found == nil {
		found = []any{}
	}
	return json.NewEncoder(r.cmd.OutOrStdout()).Encode(found)
}
