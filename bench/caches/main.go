// Command caches runs the public tests for HTTP caches against waitroom, nginx and
// Varnish, one after the other and before the same origin, and says what each of
// them passes.
//
// With -write it keeps what it found: internal/cachetests/testdata/recorded.json,
// by which tests measure waitroom from then on, and the tables in docs/cache.md.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"

	"github.com/waitroom/waitroom/bench/internal/command"
	"github.com/waitroom/waitroom/bench/internal/programs"
	"github.com/waitroom/waitroom/internal/cachetests"
	"github.com/waitroom/waitroom/internal/testserver"
)

func main() { command.Main(run) }

func run(ctx context.Context, args []string, out, progress io.Writer) (err error) {
	f := flag.NewFlagSet("caches", flag.ContinueOnError)
	f.SetOutput(progress)
	alone := f.Bool("alone", false, "waitroom only, with what was seen of all that did not pass")
	write := f.Bool("write", false, "keep what was found, in the record and in docs/cache.md")
	if err := command.Parse(f, args); err != nil {
		return err
	}
	if *alone && *write {
		return errors.New("-alone, -write: want one of them, for the record is a comparison")
	}
	dir, err := os.MkdirTemp("", "waitroom-caches-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	program := filepath.Join(dir, "waitroom")
	if err := programs.Build(ctx, dir, "cmd/waitroom"); err != nil {
		return err
	}
	var servers testserver.Measurement
	defer servers.End()
	if *alone {
		return tell(ctx, out, cachetests.Waitroom(&servers, program, cachetests.Origin(&servers)))
	}
	record, err := compare(ctx, &servers, program, progress)
	if err != nil {
		return err
	}
	command.Say(out, "%s", record.Markdown())
	if !*write {
		return nil
	}
	document, err := record.Tell()
	if err != nil {
		return err
	}
	return errors.Join(record.Save(), document.Save())
}

// compare runs the suite against all three.
func compare(ctx context.Context, t testserver.Owner, program string, progress io.Writer) (record cachetests.Record, err error) {
	origin := cachetests.Origin(t)
	for _, c := range []cachetests.Cache{
		cachetests.Waitroom(t, program, origin), cachetests.Nginx(t, origin), cachetests.Varnish(t, origin),
	} {
		command.Say(progress, "%s %s", c.Name, c.Version)
		report, err := cachetests.Run(ctx, c)
		if err != nil {
			return record, err
		}
		record.Groups = report.Groups
		record.Caches = append(record.Caches, c.Keep(report))
	}
	return record, nil
}

// tell says what waitroom did not pass.
func tell(ctx context.Context, out io.Writer, c cachetests.Cache) error {
	report, err := cachetests.Run(ctx, c)
	if err != nil {
		return err
	}
	kept := c.Keep(report)
	for _, k := range []cachetests.Kind{cachetests.Required, cachetests.Optimal, cachetests.Check} {
		sum := kept.Sum(k)
		command.Say(out, "%s: %d of %d passed", k, sum.Passed, sum.Of)
		for _, b := range report.Missed(k) {
			command.Say(out, "  %s %s/%s: %s", b.Outcome, b.Group, b.ID, b.Why)
		}
	}
	return nil
}
