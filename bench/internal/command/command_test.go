package command_test

import (
	"errors"
	"flag"
	"io"
	"testing"

	"github.com/waitroom/waitroom/bench/internal/command"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-rounds", "2"}, ""},
		{[]string{"-rounds", "2", "quick"}, `"quick" is no flag: only flags are taken, as -rounds`},
		{[]string{"rounds=2"}, `"rounds=2" is no flag: only flags are taken, as -rounds`},
		{[]string{"-help"}, flag.ErrHelp.Error()},
	} {
		f := flag.NewFlagSet("bench", flag.ContinueOnError)
		f.SetOutput(io.Discard)
		f.Int("rounds", 1, "")
		err := command.Parse(f, test.args)
		if err == nil {
			err = errors.New("")
		}
		if err.Error() != test.want {
			t.Errorf("%q: got %q, want %q", test.args, err, test.want)
		}
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 rounds", 1: "1 round", 20: "20 rounds"} {
		if got := command.Count(n, "round"); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
