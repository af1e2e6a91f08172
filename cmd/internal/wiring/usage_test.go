package wiring_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
)

// newProgram is a program with a flag of each type that ours have.
func newProgram() *cobra.Command {
	root := wiring.NewRoot("door", "A door", "test")
	run := &cobra.Command{Use: "run", RunE: func(*cobra.Command, []string) error { return nil }}
	wiring.ConfigFlag(run)
	f := run.Flags()
	f.Int("count", 0, "")
	f.Uint64("seed", 0, "")
	f.UintSlice("number", nil, "")
	f.Duration("linger", 0, "")
	f.Bool("json", false, "")
	bare := &cobra.Command{Use: "bare", RunE: func(*cobra.Command, []string) error { return errors.New("it broke") }}
	read := &cobra.Command{Use: "read", Args: wiring.Files(1, 1), RunE: run.RunE}
	hidden := &cobra.Command{Use: "stage", Hidden: true, RunE: run.RunE}
	root.AddCommand(run, bare, read, hidden)
	return root
}

// TestUsage: a fault of the command line ends with 2, in our own words, with what
// would be right and where there is help. A command that fails ends with 1.
func TestUsage(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"rum":                     `door has no command "rum": did you mean run? (door --help tells more)`,
		"stages":                  `door has no command "stages", but bare, read, run (door --help tells more)`,
		"run a.yaml":              `run takes no "a.yaml": name a file with --config (door run --help tells more)`,
		"bare a.yaml":             `bare takes no "a.yaml": leave it out (door bare --help tells more)`,
		"read":                    `read: name a file (door read --help tells more)`,
		"read a b":                `"b" is one too many: read reads one file (door read --help tells more)`,
		"run --cont 5":            `--cont: there is no such flag: did you mean --count? (door run --help tells more)`,
		"run --zzz":               `--zzz: there is no such flag (door run --help tells more)`,
		"run -x":                  `-x: there is no such flag (door run --help tells more)`,
		"run --count":             `--count: give it a value (door run --help tells more)`,
		"run --count x":           `--count "x": write a whole number, as 100 (door run --help tells more)`,
		"run --count " + nineteen: `--count "` + nineteen + `": out of bounds, write a smaller number (door run --help tells more)`,
		"run --number -1":         `--number "-1": write a whole number from 0, as 7 (door run --help tells more)`,
		"run --seed -1":           `--seed "-1": write a whole number from 0, as 7 (door run --help tells more)`,
		"run --linger long":       `--linger "long": write a duration, as 3s (door run --help tells more)`,
		"run --json=maybe":        `--json "maybe": write it alone, or with =false (door run --help tells more)`,
	} {
		var out, errs strings.Builder
		code := wiring.Execute(t.Context(), newProgram(), strings.Fields(line), &out, &errs)
		if code != 2 || out.Len() > 0 || errs.String() != want+"\n" {
			t.Errorf("%s: exit %d, out %q, said %q; want 2 and %q", line, code, out.String(), errs.String(), want)
		}
	}
	var out, errs strings.Builder
	if code := wiring.Execute(t.Context(), newProgram(), []string{"bare"}, &out, &errs); code != 1 || errs.String() != "it broke\n" {
		t.Errorf("a command that fails: exit %d, said %q; want 1 and what broke", code, errs.String())
	}
}

const nineteen = "99999999999999999999"
