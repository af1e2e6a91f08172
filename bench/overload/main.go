// Command overload measures who is still answered while strangers want more than the
// cores can give: handshakes that are begun and left, from one address or from
// thousands, and more requests than can be served. It does so behind waitroom and
// behind nginx, with the same certificate and a page of the same length, each calm
// first and then flooded. It judges nothing: it prints what was seen, as a table in
// Markdown.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/waitroom/waitroom/bench/internal/command"
	"github.com/waitroom/waitroom/bench/internal/programs"
)

func main() { command.Main(run) }

// options are the flags.
type options struct {
	waitroom string
	key      string
	long     time.Duration
	hellos   int
	load     int
	floods   bool // this process is the flood
	flood    flood
}

func run(ctx context.Context, args []string, out, progress io.Writer) (err error) {
	var o options
	f := flag.NewFlagSet("overload", flag.ContinueOnError)
	f.SetOutput(progress)
	f.StringVar(&o.waitroom, "waitroom", "", "a program to measure; empty: it is built")
	f.StringVar(&o.key, "key", "ecdsa", "of the certificate: ecdsa or rsa")
	f.DurationVar(&o.long, "long", 8*time.Second, "for which each situation is measured")
	f.IntVar(&o.hellos, "hellos", 5000, "handshakes that a flood begins each second")
	f.IntVar(&o.load, "load", 1000, "connections that ask again as soon as they are answered")
	f.BoolVar(&o.floods, "flood", false, "be the flood of another one")
	f.StringVar(&o.flood.At, "at", "", "of -flood: where to")
	f.StringVar(&o.flood.Kind, "kind", "", "of -flood: one, many or requests")
	if err := command.Parse(f, args); err != nil {
		return err
	}
	o.flood.hellos, o.flood.load, o.flood.long = o.hellos, o.load, o.long
	if o.floods {
		return o.flood.run(ctx, out)
	}
	if o.key != "ecdsa" && o.key != "rsa" || min(o.hellos, o.load) < 1 || o.long < time.Second {
		return errors.New("-key: want ecdsa or rsa; -hellos, -load: want 1 or more; -long: want 1s or more")
	}
	dir, err := os.MkdirTemp("", "waitroom-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if o.waitroom == "" {
		o.waitroom = filepath.Join(dir, "waitroom")
		if err := programs.Build(ctx, dir, "cmd/waitroom"); err != nil {
			return err
		}
	}
	command.Say(out, "%s; %d handshakes a second; %d connections that ask; %s/%s, %d cores, %s.\n",
		o.key, o.hellos, o.load, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	return measure(ctx, o, dir, out, progress)
}
