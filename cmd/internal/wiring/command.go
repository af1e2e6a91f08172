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
	exitOK         = 0
	exitFailed     = 1 // it ran and failed, or the books did not agree
	exitFault      = 2 // the configuration or the arguments are at fault
	exitUnanswered = 3 // what was asked for is not known, see UnansweredError
	exitForced     = 130
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

// Execute is Main without signals. What fails before the command runs is a fault
// of usage.
func Execute(ctx context.Context, root *cobra.Command, args []string, out, errs io.Writer) int {
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	root.SilenceUsage, root.SilenceErrors = true, true
	for _, cmd := range root.Commands() {
		if cmd.Args == nil {
			cmd.Args = nothing
		}
	}
	began := false
	root.PersistentPreRun = func(*cobra.Command, []string) { began = true }
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !began {
		err = &UsageError{err} // arguments or flags, which are looked at first
	}
	return tell(cmd, err, errs)
}

// tell says what went wrong and gives the exit code for it.
func tell(cmd *cobra.Command, err error, errs io.Writer) int {
	if err == nil {
		return exitOK
	}
	if _, usage := errors.AsType[*UsageError](err); usage {
		_, _ = fmt.Fprintf(errs, "%v (%s --help tells more)\n", err, cmd.CommandPath())
		return exitFault
	}
	_, _ = fmt.Fprintln(errs, err)
	if _, faults := errors.AsType[configs.Faults](err); faults {
		return exitFault
	}
	if _, silent := errors.AsType[*UnansweredError](err); silent {
		return exitUnanswered
	}
	return exitFailed
}

// NewRoot is a program's root command. Its commands have no PersistentPreRun of
// their own, by which Execute knows a fault of usage.
func NewRoot(name, short, version string) *cobra.Command {
	root := &cobra.Command{Use: name, Short: short, Version: version, Args: command,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	root.SetFlagErrorFunc(flagFault)
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
