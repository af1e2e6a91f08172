package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/queueing"
)

// heard is what a program says. Its end does not end what Redis clients of this process
// say of others: they have one log, that of the last program.
type heard struct {
	mu   sync.Mutex
	text strings.Builder
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(p)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// command runs the program with arguments, in this process.
func command(args ...string) (code int, out, errs string) {
	var o, e heard
	code = wiring.Execute(context.Background(), newRoot(), args, &o, &e)
	return code, o.String(), e.String()
}

func TestVerify(t *testing.T) {
	t.Parallel()
	seed := queueing.Seed{1, 2, 3}
	status := func(seed queueing.Seed, drawn string, more ...string) string {
		file := filepath.Join(t.TempDir(), "status.json")
		text := fmt.Sprintf(`{"sale":"toy","entered":2000,"drawn":%s,"seed":"%s","commitment":"%s","head":0%s}`, drawn, seed, queueing.Seed{1, 2, 3}.Commitment(), strings.Join(more, ""))
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
		"what to look up": {[]string{status(seed, "1000", `,"mix":"Saturday's lottery","mixed":"7"`)}, 0, `mixed in    "7", published as "Saturday's lottery"`},
		"no value yet":    {[]string{status(seed, "1000", `,"mix":"Saturday's lottery"`)}, 1, `waits for the value of "Saturday's lottery"`},
		"no name":         {[]string{status(seed, "1000", `,"mixed":"7"`)}, 2, "it has mixed, and no mix"},
		"not yet":         {[]string{status(seed, "null")}, 1, "the draw is not over"},
		"not given":       {[]string{status(seed, "1000"), "--number", "2000"}, 0, "number 2000 was not given: 2000 entered"},
		"behind":          {[]string{status(seed, "1000", `,"behind":5`), "--behind", "4", "--behind", "5", "--number", "1004", "--number", "1005"}, 0, "number 1004 was not given: it is that of number 4 behind the draw\nnumber 1005 has place 1005 (came after the draw)\nnumber 4 behind the draw has place 1004\nnumber 5 behind the draw was not given: 5 stand there, and numbers begin at 0\n"},
		"two numbers":     {[]string{status(seed, "1000"), "--number", "1999", "--number", "7"}, 0, fmt.Sprintf("number 1999 has place 1999 (came after the draw)\nnumber 7 has place %d\n", place)},
		"its commitment":  {[]string{status(seed, "1000")}, 0, "commitment  " + seed.Commitment() + "\n            the seed fits it. Was it the same before the draw?"},
		"noted":           {[]string{status(seed, "1000"), "--commitment", strings.ToUpper(seed.Commitment())}, 0, "the seed is the one that was committed to: this was noted before the draw"},
		"noted otherwise": {[]string{status(seed, "1000"), "--commitment", queueing.Seed{9}.Commitment()}, 1, "NOT the one that was committed to: its SHA-256 is " + seed.Commitment() + ", noted before the draw was " + queueing.Seed{9}.Commitment()},
		"too many":        {[]string{status(seed, "281474976710657")}, 2, "no draw has so many"},
		"no number":       {[]string{status(seed, `"many"`)}, 2, "this is no status document: drawn is a string"},
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

// TestVerify_NoStatusDocument: what is none is told apart, and never taken for a
// draw that is not over.
func TestVerify_NoStatusDocument(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                   "nothing came in: give the one of /.waitroom/SALE/status",
		" \n":                                "nothing came in",
		"<!doctype html><p>Not found":        "this is a page",
		"404 page not found\n":               "this is no JSON object",
		`[1]`:                                "this is no JSON object",
		`{"error":"no such sale"}`:           "this is no status document of a sale",
		`{"status":"reserved","sale":"toy"}`: "this is no status document of a sale",
		`{"sale":"shop","armed":false,"active":0,"entered":3}`: "the status document of a room, which draws nothing",
	} {
		file := filepath.Join(t.TempDir(), "document")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out, errs := command("verify", file); code != 2 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%q: exit %d, out %q, said %q; want 2 and %q", text, code, out, errs, want)
		}
	}
}
