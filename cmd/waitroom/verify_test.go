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
	status := func(seed queueing.Seed, drawn string, more ...string) string {
		file := filepath.Join(t.TempDir(), "status.json")
		text := fmt.Sprintf(`{"sale":"toy","drawn":%s,"seed":"%s","commitment":"%s","head":0%s}`, drawn, seed, queueing.Seed{1, 2, 3}.Commitment(), strings.Join(more, ""))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	place := queueing.NewDraw(seed, "toy", 1000, "").Place(7)
	mixed := queueing.NewDraw(seed, "toy", 1000, `7 "☘"`).Place(7)
	if place == mixed {
		t.Fatal("the value changes nothing for number 7: take another one")
	}
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"drawn":           {[]string{status(seed, "1000"), "--number", "7"}, 0, fmt.Sprintf("number 7 has place %d\n", place)},
		"late":            {[]string{status(seed, "1000"), "--number", "1000"}, 0, "number 1000 has place 1000 (came after the draw)\n"},
		"other seed":      {[]string{status(queueing.Seed{9}, "1000")}, 1, "NOT the one that was committed to"},
		"mixed":           {[]string{status(seed, "1000", `,"mix":"Saturday's lottery","mixed":"7 \"☘\""`), "--number", "7"}, 0, fmt.Sprintf("number 7 has place %d\n", mixed)},
		"what to look up": {[]string{status(seed, "1000", `,"mix":"Saturday's lottery","mixed":"7"`)}, 0, `mixed in: "7", published as "Saturday's lottery"`},
		"no value yet":    {[]string{status(seed, "1000", `,"mix":"Saturday's lottery"`)}, 2, `waits for the value of "Saturday's lottery"`},
		"not yet":         {[]string{status(seed, "null")}, 2, "the draw is not over"},
		"no document":     {[]string{filepath.Join(t.TempDir(), "none")}, 2, "no such file"},
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
