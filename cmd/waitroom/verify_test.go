package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/queueing"
)

// command runs the program with arguments, in this process.
func command(args ...string) (code int, out, errs string) {
	var o, e strings.Builder
	code = wiring.Execute(context.Background(), newRoot(), args, &o, &e)
	return code, o.String(), e.String()
}

func TestVerify(t *testing.T) {
	t.Parallel()
	seed := queueing.Seed{1, 2, 3}
	status := func(seed queueing.Seed, drawn string) string {
		file := filepath.Join(t.TempDir(), "status.json")
		text := fmt.Sprintf(`{"sale":"toy","drawn":%s,"seed":"%s","commitment":"%s","head":0}`, drawn, seed, queueing.Seed{1, 2, 3}.Commitment())
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	place := queueing.NewDraw(seed, "toy", 1000).Place(7)
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"drawn":       {[]string{status(seed, "1000"), "--number", "7"}, 0, fmt.Sprintf("number 7 has place %d\n", place)},
		"late":        {[]string{status(seed, "1000"), "--number", "1000"}, 0, "number 1000 has place 1000 (came after the draw)\n"},
		"other seed":  {[]string{status(queueing.Seed{9}, "1000")}, 1, "NOT the one that was committed to"},
		"not yet":     {[]string{status(seed, "null")}, 2, "the draw is not over"},
		"no document": {[]string{filepath.Join(t.TempDir(), "none")}, 2, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := command(append([]string{"verify"}, test.args...)...)
			if code != test.code || !strings.Contains(out+errs, test.want) {
				t.Errorf("exit %d, said %q; want %d and %q", code, out+errs, test.code, test.want)
			}
		})
	}
}
