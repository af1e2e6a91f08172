package wiring

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/configs"
)

// Exit codes of both programs.
const (
	exitOK     = 0
	exitFailed = 1 // it ran and failed, or the books did not agree
	exitFault  = 2 // the configuration or the arguments are at fault
	exitForced = 130
)

// Main runs a command to its exit code. SIGINT and SIGTERM end it politely, a
// second one at once.
func Main(root *cobra.Command, args []string, out, errs io.Writer) int {
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() { // ends with the process
		stop(fmt.Errorf("stopped by %s", <-signals))
		<-signals
		os.Exit(exitForced)
	}()
	return Execute(ctx, root, args, out, errs)
}

// Execute is Main without signals.
func Execute(ctx context.Context, root *cobra.Command, args []string, out, errs io.Writer) int {
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	root.SilenceUsage, root.SilenceErrors = true, true
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	_, _ = fmt.Fprintln(errs, err)
	_, faults := errors.AsType[configs.Faults](err)
	_, usage := errors.AsType[*UsageError](err)
	if faults || usage {
		return exitFault
	}
	return exitFailed
}

// UsageError is a fault of the command line.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() + " (--help tells more)" }

// Unwrap gives the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// NewRoot is a program's root command: flags that are not known are faults of
// usage.
func NewRoot(name, short, version string) *cobra.Command {
	root := &cobra.Command{Use: name, Short: short, Version: version, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &UsageError{err} })
	root.CompletionOptions.HiddenDefaultCmd = true
	return root
}

// ConfigFlag adds --config to a command.
func ConfigFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("config", "waitroom.yaml", "the operator's `file`")
}

// Load reads a configuration from files and the environment.
func Load(file string) (*configs.Config, error) {
	return configs.Load(file, os.LookupEnv, time.Now())
}

// Hangup calls reload at each SIGHUP until ctx is done.
func Hangup(ctx context.Context, reload func()) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	defer signal.Stop(signals)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-signals:
			reload()
		}
	}
}
