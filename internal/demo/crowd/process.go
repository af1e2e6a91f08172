package crowd

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Brief is what the process of a crowd is told, as JSON on its standard input.
type Brief struct {
	Options
	CA string // PEM of who vouches for the edge; empty: the system's
}

// word is one line of what that process says: how it goes, and at the end the
// report.
type word struct {
	Tally  *Tally  `json:",omitempty"`
	Report *Report `json:",omitempty"`
}

// Obey is the crowd's side: it reads a brief, sends the crowd, and says how it
// went.
func Obey(ctx context.Context, in io.Reader, out io.Writer) error {
	var b Brief
	if err := json.NewDecoder(in).Decode(&b); err != nil {
		return fmt.Errorf("read brief: %w", err)
	}
	b.RootCAs = Trust(b.CA)
	words := json.NewEncoder(out)
	b.Progress = func(t Tally) { _ = words.Encode(word{Tally: &t}) }
	report, err := Run(ctx, b.Options)
	if err != nil {
		return err
	}
	return words.Encode(word{Report: &report})
}

// Trust is the pool of one CA; nil, the system's, without one.
func Trust(pem string) *x509.CertPool {
	if pem == "" {
		return nil
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(pem))
	return pool
}

// Send runs a crowd as a process of its own, started by command, which has to
// Obey, and returns its report: people do not share memory, files and a garbage
// collector with the door they stand at. When ctx ends the crowd goes home and
// still reports. What else the process has to say goes to errs.
func Send(ctx context.Context, command []string, b Brief, progress func(Tally), errs io.Writer) (Report, error) {
	brief, err := json.Marshal(b)
	if err != nil {
		return Report{}, fmt.Errorf("send crowd: %w", err)
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stdin, cmd.Stderr = bytes.NewReader(brief), errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		return Report{}, fmt.Errorf("send crowd: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return Report{}, fmt.Errorf("send crowd: %w", err)
	}
	report, err := hear(out, progress)
	if report == nil {
		return Report{}, fmt.Errorf("send crowd: %w", errors.Join(err, cmd.Wait()))
	}
	_ = cmd.Wait() // it has said all; an end by signal is how ctx ends it
	return *report, nil
}

func hear(out io.Reader, progress func(Tally)) (*Report, error) {
	words := json.NewDecoder(out)
	for {
		var w word
		if err := words.Decode(&w); err != nil {
			return nil, err
		}
		if w.Report != nil {
			return w.Report, nil
		}
		if w.Tally != nil && progress != nil {
			progress(*w.Tally)
		}
	}
}
