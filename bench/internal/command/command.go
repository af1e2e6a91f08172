// Package command is what all benchmarks are as programs.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Main runs a program, which prints its figures to out, until it ends or is
// interrupted. An error, but for that of -help, is printed and makes it exit with 1.
func Main(run func(ctx context.Context, args []string, out, progress io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Say prints a line.
func Say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }

// Parse reads the flags, which are all that a benchmark takes: a word beside them
// is more likely a flag without its dash than nothing, and a run takes minutes.
func Parse(f *flag.FlagSet, args []string) error {
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("%q is no flag: only flags are taken, as -%s", f.Arg(0), firstOf(f))
	}
	return nil
}

func firstOf(f *flag.FlagSet) (name string) {
	f.VisitAll(func(one *flag.Flag) {
		if name == "" {
			name = one.Name
		}
	})
	return name
}

// Count is so many of something: "1 bucket", "2 buckets".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
