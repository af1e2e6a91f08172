// Command orderworker drains winners from Redis into Postgres and keeps the
// books: orders, holds, payments, refunds, give-back, reconciliation.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
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
		return withWorker(cmd, *file, "start that alone, or write both", wiring.OpenLog, wiring.NewWorker, func(ctx context.Context, cfg *configs.Config, w *wiring.Worker, log *zap.Logger) error {
			wiring.LimitMemory(log)
			log.Info("working", zap.String("version", version), zap.Stringer("api", w.Addr()), zap.String("name", cfg.Worker.Name))
			watcher := configs.NewWatcher(*file, w.Config(), os.LookupEnv, log)
			group, ctx := errgroup.WithContext(ctx)
			group.Go(func() error { return watcher.Run(ctx, w.Apply) })
			group.Go(func() error { return wiring.Hangup(ctx, watcher.Reload) })
			group.Go(func() error { return w.Hold(ctx, watcher.Hold) })
			group.Go(func() error { return w.Run(ctx) })
			err := group.Wait()
			if err == nil {
				log.Info("stopped, all is closed")
			}
			return err
		})
	}
	return cmd
}

func newSweep() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Expire unpaid holds once and give their units back",
	}
	file := wiring.ConfigFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return withWorker(cmd, *file, "which sweeps each second by itself, there is nothing to do", wiring.OpenTaskLog, wiring.OpenWorker, func(ctx context.Context, _ *configs.Config, w *wiring.Worker, _ *zap.Logger) error {
			result, err := w.Ledger.Sweep(ctx)
			if err != nil {
				return err
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(result)
		})
	}
	return cmd
}

type (
	logger func(io.Writer) (log *zap.Logger, done func())
	opener func(context.Context, *configs.Config, *zap.Logger) (*wiring.Worker, error)
)

// withWorker loads a configuration, opens its stores, and closes them again. inside
// says what to do where the worker is inside waitroom.
func withWorker(cmd *cobra.Command, file, inside string, logTo logger, open opener, do func(context.Context, *configs.Config, *wiring.Worker, *zap.Logger) error) (err error) {
	cfg, err := wiring.Load(file)
	if err != nil {
		return err
	}
	if cfg.Embedded() {
		return wiring.Inside(cfg, inside)
	}
	log, done := logTo(cmd.ErrOrStderr())
	defer done()
	w, err := open(cmd.Context(), cfg, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	return do(cmd.Context(), cfg, w, log)
}
