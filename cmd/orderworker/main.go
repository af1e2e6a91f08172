// Command orderworker drains winners from Redis into Postgres and keeps the
// books: orders, holds, payments, refunds, give-back, reconciliation.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
)

var version = "dev" // set by the build

func main() { os.Exit(wiring.Main(newRoot(), os.Args[1:], os.Stdout, os.Stderr)) }

func newRoot() *cobra.Command {
	root := wiring.NewRoot("orderworker", "Writes a waiting room's winners into the books", version)
	root.AddCommand(newRun(), newReconcile(), newSweep())
	return root
}

func newRun() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Work until SIGTERM",
		Long: "Writes winners into Postgres, expires holds that were not paid, takes payments on its API,\n" +
			"sends refunds and keeps the gate in step with the books. Any number may run at once.",
	}
	file := wiring.ConfigFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return withWorker(cmd, *file, wiring.NewWorker, func(ctx context.Context, cfg *configs.Config, w *wiring.Worker, log *zap.Logger) error {
			log.Info("working", zap.String("version", version), zap.Stringer("api", w.Addr()), zap.String("name", cfg.Worker.Name))
			watcher := configs.NewWatcher(*file, cfg, os.LookupEnv, log)
			group, ctx := errgroup.WithContext(ctx)
			group.Go(func() error { return watcher.Run(ctx, w.Apply) })
			group.Go(func() error { return wiring.Hangup(ctx, watcher.Reload) })
			group.Go(func() error { return w.Run(ctx) })
			return group.Wait()
		})
	}
	return cmd
}

func newReconcile() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reconcile",
		Short: "Compare books and gate, mend the gate, say what was found",
		Long:  "The books win. Safe during a sale. The exit code is 1 if books and gate did not agree.",
	}
	file := wiring.ConfigFlag(cmd)
	asJSON := cmd.Flags().Bool("json", false, "print a JSON array, one object for each sale")
	look := cmd.Flags().Bool("look", false, "only look, mend nothing")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return withWorker(cmd, *file, wiring.OpenWorker, func(ctx context.Context, cfg *configs.Config, w *wiring.Worker, _ *zap.Logger) error {
			return reconcile(ctx, cmd, cfg, w, *asJSON, !*look)
		})
	}
	return cmd
}

// errDisagree makes the exit code of reconcile 1.
var errDisagree = errors.New("books and gate do not agree")

func reconcile(ctx context.Context, cmd *cobra.Command, cfg *configs.Config, w *wiring.Worker, asJSON, mend bool) error {
	agree := true
	accounts := []any{}
	for i := range cfg.Sales {
		account, err := w.Ledger.Reconcile(ctx, &cfg.Sales[i], mend)
		if err != nil {
			return err
		}
		agree = agree && account.Agree
		accounts = append(accounts, account)
		if !asJSON {
			_, _ = fmt.Fprint(cmd.OutOrStdout(), account.Table())
		}
	}
	if asJSON {
		if err := json.NewEncoder(cmd.OutOrStdout()).Encode(accounts); err != nil {
			return err
		}
	}
	if !agree {
		return errDisagree
	}
	return nil
}

func newSweep() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Expire unpaid holds once and give their units back",
	}
	file := wiring.ConfigFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return withWorker(cmd, *file, wiring.OpenWorker, func(ctx context.Context, _ *configs.Config, w *wiring.Worker, _ *zap.Logger) error {
			result, err := w.Ledger.Sweep(ctx)
			if err != nil {
				return err
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(result)
		})
	}
	return cmd
}

type opener func(context.Context, *configs.Config, *zap.Logger) (*wiring.Worker, error)

// withWorker loads a configuration, opens its stores, and closes them again.
func withWorker(cmd *cobra.Command, file string, open opener, do func(context.Context, *configs.Config, *wiring.Worker, *zap.Logger) error) (err error) {
	cfg, err := wiring.Load(file)
	if err != nil {
		return err
	}
	log, done := wiring.OpenLog(cmd.ErrOrStderr())
	defer done()
	w, err := open(cmd.Context(), cfg, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	return do(cmd.Context(), cfg, w, log)
}
