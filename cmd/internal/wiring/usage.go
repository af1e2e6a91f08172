package wiring

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waitroom/waitroom/configs"
)

// UsageError is a fault of the command line, or of what it names: the exit code
// is 2, and Execute adds where there is help.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// UnansweredError says that a store did not answer a command that asks whether all
// is well: that is neither yes nor no, and the exit code is 3.
type UnansweredError struct{ Err error }

func (e *UnansweredError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *UnansweredError) Unwrap() error { return e.Err }

// Files is the Args of a command that takes so many files, most 0: any number. A
// command without Args takes none.
func Files(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("%s: name a file", cmd.Name())
		case most > 0 && len(args) > most:
			return fmt.Errorf("%q is one too many: %s reads one file", args[most], cmd.Name())
		}
		return nil
	}
}

// nothing is the Args of a command that takes flags alone.
func nothing(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.Flags().Lookup("config") != nil:
		return fmt.Errorf("%s takes no %q: name a file with --config", cmd.Name(), args[0])
	}
	return fmt.Errorf("%s takes no %q: leave it out", cmd.Name(), args[0])
}

// command is the Args of a program, which wants one of its commands.
func command(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			known = append(known, cmd.Name())
		}
	}
	if meant, ok := configs.Nearest(args[0], known); ok {
		return fmt.Errorf("%s has no command %q: did you mean %s?", root.Name(), args[0], meant)
	}
	return fmt.Errorf("%s has no command %q, but %s", root.Name(), args[0], strings.Join(known, ", "))
}

// flagFault says in our words what is wrong with a flag.
func flagFault(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return noFlag(cmd, e)
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return fmt.Errorf("--%s: give it a value", e.GetSpecifiedName())
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return wrongValue(e)
	}
	return err
}

func noFlag(cmd *cobra.Command, e *pflag.NotExistError) error {
	if short := e.GetSpecifiedShortnames(); short != "" {
		return fmt.Errorf("-%s: there is no such flag", short)
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	name := e.GetSpecifiedName()
	if meant, ok := configs.Nearest(name, known); ok {
		return fmt.Errorf("--%s: there is no such flag: did you mean --%s?", name, meant)
	}
	return fmt.Errorf("--%s: there is no such flag", name)
}

// right is what to write for a flag, by its type. Types of our own say it
// themselves.
var right = map[string]string{
	"int":       "write a whole number, as 100",
	"uint64":    "write a whole number from 0, as 7",
	"uintSlice": "write a whole number from 0, as 7",
	"duration":  "write a duration, as 3s",
	"bool":      "write it alone, or with =false",
}

func wrongValue(e *pflag.InvalidValueError) error {
	f := e.GetFlag()
	advice, ok := right[f.Value.Type()]
	switch {
	case !ok:
		return fmt.Errorf("--%s %q: %w", f.Name, e.GetValue(), e.Unwrap())
	case errors.Is(e, strconv.ErrRange):
		return fmt.Errorf("--%s %q: out of bounds, write a smaller number", f.Name, e.GetValue())
	}
	return fmt.Errorf("--%s %q: %s", f.Name, e.GetValue(), advice)
}
