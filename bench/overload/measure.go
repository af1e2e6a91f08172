package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/waitroom/waitroom/bench/internal/command"
	"github.com/waitroom/waitroom/bench/internal/programs"
	"github.com/waitroom/waitroom/internal/testserver"
)

// situations are what strangers do meanwhile.
var situations = []struct {
	name  string
	kinds []string
}{
	{"nothing", nil},
	{"handshakes from one address", []string{"one"}},
	{"handshakes from thousands", []string{"many"}},
	{"requests", []string{"requests"}},
	{"requests, handshakes from thousands", []string{"requests", "many"}},
}

// Of visitors, who come at fixed instants: a wait counts from when it was due.
const (
	keptRate, keptConns = 200, 50 // who have a connection
	newRate             = 20      // who come with a handshake
	healthRate          = 10
	patience            = 5 * time.Second
)

// waits are how long visitors of a kind waited; who was not answered counts as lost.
type waits struct {
	mu   sync.Mutex
	all  []time.Duration
	lost int
}

func (w *waits) add(took time.Duration, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.lost++
		took = patience
	}
	w.all = append(w.all, took)
}

func (w *waits) String() string {
	if len(w.all) == 0 {
		return ""
	}
	slices.Sort(w.all)
	at := func(q int) time.Duration { return w.all[len(w.all)*q/100].Round(100 * time.Microsecond) }
	return fmt.Sprintf("%v / %v / %.1f %%", at(50), at(99), 100*float64(w.lost)/float64(len(w.all)))
}

func measure(ctx context.Context, o options, dir string, out, progress io.Writer) error {
	cert, key, err := programs.Certify(dir, shop, o.key == "rsa")
	if err != nil {
		return err
	}
	command.Say(out, "| | meanwhile | kept connections: median / 99th / lost | with a handshake | health | of the flood, answered a second |\n|---|---|---:|---:|---:|---:|")
	for _, open := range []func(t testserver.Owner) (*subject, error){
		func(t testserver.Owner) (*subject, error) { return openWaitroom(t, o.waitroom, dir, cert, key) },
		func(t testserver.Owner) (*subject, error) { return openNginx(t, dir, cert, key) },
	} {
		owner := &testserver.Measurement{}
		s, err := open(owner)
		if err == nil {
			err = s.measure(ctx, o, out, progress)
		}
		owner.End()
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *subject) measure(ctx context.Context, o options, out, progress io.Writer) error {
	for _, now := range situations {
		command.Say(progress, "%s: %s", s.name, now.name)
		var kept, fresh, health waits
		var floods sync.WaitGroup
		seen := make([]string, len(now.kinds))
		for i, kind := range now.kinds {
			floods.Go(func() { seen[i] = s.flood(ctx, o, kind) })
		}
		within, cancel := context.WithTimeout(ctx, o.long-500*time.Millisecond)
		var all sync.WaitGroup
		all.Go(func() { s.keep(within, &kept) })
		all.Go(func() {
			every(within, newRate, func(i int) error { return s.visit(net.IPv4(127, 99, byte(i>>8), byte(i))) }, &fresh)
		})
		if s.health != "" {
			all.Go(func() { every(within, healthRate, func(int) error { return healthy(s.health) }, &health) })
		}
		all.Wait()
		cancel()
		floods.Wait()
		command.Say(out, "| %s | %s | %v | %v | %v | %s |", s.name, now.name, &kept, &fresh, &health, strings.Join(seen, ", "))
	}
	return nil
}

// flood is one in a process of its own, that yields as strangers' machines would.
func (s *subject) flood(ctx context.Context, o options, kind string) string {
	self, err := os.Executable()
	if err != nil {
		return err.Error()
	}
	cmd := exec.CommandContext(ctx, "nice", "-n", "10", self, "-flood", "-at", s.at, "-kind", kind,
		"-long", o.long.String(), "-hellos", fmt.Sprint(o.hellos), "-load", fmt.Sprint(o.load))
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, os.Stderr
	if err := cmd.Run(); err != nil {
		return err.Error()
	}
	var seen felt
	if err := json.Unmarshal(said.Bytes(), &seen); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%.0f of %.0f", float64(seen.Answered)/o.long.Seconds(), float64(seen.Begun)/o.long.Seconds())
}

// every does something so many times a second, each in its own time.
func every(ctx context.Context, rate int, do func(i int) error, w *waits) {
	var all sync.WaitGroup
	begun := time.Now()
	ticker := time.NewTicker(time.Second / time.Duration(rate))
	defer ticker.Stop()
	for i := 0; ctx.Err() == nil; i++ {
		due := begun.Add(time.Duration(i) * time.Second / time.Duration(rate))
		if wait := time.Until(due); wait > 0 {
			time.Sleep(wait)
		}
		all.Go(func() { err := do(i); w.add(time.Since(due), err) })
	}
	all.Wait()
}

// keep asks over connections that are there already.
func (s *subject) keep(ctx context.Context, w *waits) {
	type one struct {
		net.Conn
		in *bufio.Reader
	}
	idle := make(chan one, keptConns)
	for i := range keptConns {
		if c, err := dial(ctx, s.at, net.IPv4(127, 98, 0, byte(i+1))); err == nil {
			idle <- one{c, bufio.NewReader(c)}
		}
	}
	every(ctx, keptRate, func(int) error {
		select {
		case c := <-idle:
			_ = c.SetDeadline(time.Now().Add(patience))
			err := fetch(c, c.in)
			if err == nil {
				idle <- c
			}
			return err
		case <-time.After(patience):
			return context.DeadlineExceeded
		}
	}, w)
}

func (s *subject) visit(from net.IP) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := dial(ctx, s.at, from)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(patience))
	return fetch(c, bufio.NewReader(c))
}

func healthy(at string) error {
	client := http.Client{Timeout: patience}
	resp, err := client.Get("http://" + at + "/healthz")
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
