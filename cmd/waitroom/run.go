package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
)

func newRun() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Stand at the door",
		Long: "Serves the shop through the waiting room until SIGTERM, then drains.\n" +
			"Changed files are taken over by themselves, and at once on SIGHUP.\n" +
			"Where another one runs on the same data_dir, it takes its place without a failed request\n" +
			"once it is ready, and that one leaves: so a new version is put in place. A second signal\n" +
			"ends it at once. docs/operations.md tells more.",
	}
	file := wiring.ConfigFlag(cmd)
	linger := cmd.Flags().Duration("linger", 3*time.Second, "how long a stopping edge still accepts requests after /readyz fails")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := wiring.Load(*file)
		if err != nil {
			return err
		}
		log, done := wiring.OpenLog(cmd.ErrOrStderr())
		defer done()
		return run(cmd.Context(), *file, cfg, wiring.LimitMemory(log), *linger, log)
	}
	return cmd
}

func run(ctx context.Context, file string, cfg *configs.Config, memory uint64, linger time.Duration, log *zap.Logger) error {
	edge, err := wiring.NewEdge(ctx, cfg, memory, linger, log)
	if err != nil {
		return err
	}
	log.Info("standing at the door", zap.String("mode", cfg.Mode()), zap.String("version", version),
		zap.Stringer("https", edge.Addr()), zap.String("http", off(cfg.Listen.HTTP)), zap.String("admin", off(cfg.Listen.Admin)),
		zap.String("tls", string(cfg.TLS.Mode)), zap.Stringers("origin", cfg.Origin.URLs),
		zap.Int("sales", len(cfg.Sales)), zap.Int("rooms", len(cfg.Rooms)))

	watcher := configs.NewWatcher(file, edge.Config(), os.LookupEnv, log)
	reloads, stop := context.WithCancel(ctx)
	var group errgroup.Group
	group.Go(func() error { return watcher.Run(reloads, edge.Apply) })
	group.Go(func() error { return wiring.Hangup(reloads, watcher.Reload) })
	group.Go(func() error { return edge.Hold(reloads, watcher.Hold) })
	err = edge.Run(ctx)
	stop()
	if err = errors.Join(err, group.Wait()); err == nil {
		log.Info("left the door, all is closed")
	}
	return err
}

// off is an address as the log says it.
func off(address string) string { return cmp.Or(address, "off") }
