package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// edges is how many edges there are in every measurement.
const edges = 3

// lines are three processes with one [queueing.Line] each, see edge.go. Places
// go to them and answers come back as lines of text.
type lines struct {
	command []string
	said    chan word
	procs   [edges]*process
	next    atomic.Uint64
	failing sync.WaitGroup
}

// process is one edge's place, with the process that is there or nil.
type process struct {
	mu    sync.Mutex
	in    io.WriteCloser // nil: nobody is there
	cmd   *exec.Cmd
	heard chan struct{} // closed when all it said was heard
}

func newLines(o options, url string, s *configs.Sale) *lines {
	l := &lines{said: make(chan word, 1<<14), command: []string{
		filepath.Join(o.programs, "pace"), edgeCommand, url,
		fmt.Sprint(s.Opens.UnixMilli()), s.Admit.String(), fmt.Sprint(s.Burst),
	}}
	for i := range l.procs {
		l.procs[i] = &process{}
	}
	return l
}

func (l *lines) words() <-chan word { return l.said }

// claim asks any edge that is there.
func (l *lines) claim(place uint64) {
	for range edges {
		if l.procs[l.next.Add(1)%edges].ask(place) {
			return
		}
	}
	// Who claims is who listens: it must not wait for itself.
	l.failing.Go(func() {
		l.said <- word{kind: failed, place: place, err: errors.New("no edge is there"), wait: tryAgain}
	})
}

// tryAgain is when somebody comes back who got no answer.
const tryAgain = 500 * time.Millisecond

func (p *process) ask(place uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.in == nil {
		return false
	}
	_, err := fmt.Fprintln(p.in, place)
	return err == nil
}

func (l *lines) start(i int) error {
	p := l.procs[i]
	cmd := exec.Command(l.command[0], l.command[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd, p.in, p.heard = cmd, in, make(chan struct{})
	go func() { // stop waits for it
		defer close(p.heard)
		l.hear(out)
	}()
	return nil
}

func (l *lines) hear(out io.Reader) {
	for s := bufio.NewScanner(out); s.Scan(); {
		w, err := readWord(s.Text())
		if err != nil {
			w = word{kind: failed, err: err, wait: tryAgain}
		}
		l.said <- w
	}
}

// stop closes an edge in good order: what it was asked is answered.
func (l *lines) stop(i int) error {
	p := l.procs[i]
	p.mu.Lock()
	in := p.in
	p.in = nil
	p.mu.Unlock()
	if in == nil {
		return nil
	}
	_ = in.Close()
	<-p.heard
	return p.cmd.Wait()
}

func (l *lines) close() error {
	var errs []error
	for i := range l.procs {
		errs = append(errs, l.stop(i))
	}
	l.failing.Wait()
	close(l.said)
	return errors.Join(errs...)
}
