package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/waitroom/waitroom/bench/internal/programs"
	"github.com/waitroom/waitroom/internal/testserver"
)

const waitroom = "waitroom"

// server is one that is measured, a process that listens at an address.
type server struct {
	name, at, pid string  // pid: a file
	rest          float64 // share of a core that it takes when nobody asks, which is taken off
	*testserver.Program
}

// stage is an origin, a waitroom with all that belongs to it, and its peers.
type stage struct {
	owner     testserver.Owner
	dir       string
	pinned    bool
	cert, key string // files
	origin    string
	edge      *edge
	servers   []*server // waitroom is the first
	versions  []string  // of the peers
	bodies    []string  // what is measured, and how long it is
	lines     *edge     // of the row line; nil before
}

func open(ctx context.Context, t testserver.Owner, o options, pinned bool) (*stage, error) {
	st := &stage{owner: t, dir: o.programs, pinned: pinned}
	var err error
	if st.cert, st.key, err = programs.Certify(st.dir, shop, false); err != nil {
		return nil, err
	}
	if st.origin, err = openOrigin(t); err != nil {
		return nil, err
	}
	if st.edge, err = st.openEdge(ctx, map[string]int{waitingSale: crowdOfSale}); err != nil {
		return nil, err
	}
	st.servers = append(st.servers, st.edge.server)
	samples, err := st.sample(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range o.peers {
		p := peers[name]
		s, err := st.openPeer(name, p, samples)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", name, err)
		}
		st.servers = append(st.servers, s)
		st.versions = append(st.versions, name+" "+said(p.version, p.tells[0], append(p.tells[1:], st.programOf(name))...))
	}
	return st, nil
}

// said is what a pattern's group finds in the output of a command; a question mark where
// it finds nothing.
func said(pattern, program string, args ...string) string {
	out, _ := exec.Command(program, args...).CombinedOutput()
	if found := regexp.MustCompile(pattern).FindSubmatch(out); found != nil {
		return string(found[1])
	}
	return "?"
}

// program is one that stays on the servers' core, has as many threads for Go as that, and
// writes down who it is.
func (st *stage) program(name, at string, ready func() bool, path string, args ...string) *server {
	s := &server{name: name, at: at, pid: filepath.Join(st.dir, name+"-"+at+".pid")}
	command := []string{"-c", `echo $$ >"$0"; exec "$@"`, s.pid}
	if st.pinned {
		command = append(command, "taskset", "-c", strconv.Itoa(serversCore))
	}
	command = append(append(command, "env", "GOMAXPROCS=1", path), args...)
	s.Program = testserver.NewProgram(st.owner, ready, "/bin/sh", command...)
	return s
}

// process is the running server's id.
func (s *server) process() (pid int, err error) {
	text, err := os.ReadFile(s.pid)
	if err == nil {
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	if err != nil {
		err = fmt.Errorf("read who %s is: %w", s.name, err)
	}
	return pid, err
}

// cpu is what the server has used since its start.
func (s *server) cpu() (time.Duration, error) {
	pid, err := s.process()
	if err != nil {
		return 0, err
	}
	return processCPU(pid)
}

func (st *stage) target(s *server, r row) target {
	return target{at: s.at, ask: r.ask, ticket: st.edge.tickets[waitingSale], http2: r.http2, streams: r.streams}
}

// inTurns measures one server after the other.
func (st *stage) inTurns(round int, measure func(*server) (figures, error)) (map[string]figures, error) {
	all := map[string]figures{}
	for i := range st.servers {
		s := st.servers[(i+round)%len(st.servers)]
		f, err := measure(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		all[s.name] = f
	}
	return all, nil
}

func (st *stage) names() (all []string) {
	for _, s := range st.servers {
		all = append(all, s.name)
	}
	return all
}

// sample is an answer of waitroom's, which the peers give as well.
type sample struct {
	ask
	kind, encoding string // as the fields say
	body           []byte
}

// sample asks for each answer, twice, for what may be kept or packed is so after the
// first.
func (st *stage) sample(ctx context.Context) (all []sample, err error) {
	for _, a := range asks {
		if a.name == "pass" {
			continue
		}
		var s sample
		for range 2 {
			if s, err = st.edge.give(ctx, a); err != nil {
				return nil, err
			}
		}
		all = append(all, s)
		st.bodies = append(st.bodies, fmt.Sprintf("%s %d", a.what, len(s.body)))
	}
	return all, nil
}

func (e *edge) give(ctx context.Context, a ask) (s sample, err error) {
	req, err := http.NewRequestWithContext(ctx, a.method, "https://"+shop+a.path, nil)
	if err != nil {
		return s, err
	}
	for _, f := range a.fields(e.tickets[waitingSale]) {
		req.Header.Add(f[0], f[1])
	}
	res, err := e.client().Do(req)
	if err != nil {
		return s, err
	}
	defer res.Body.Close()
	s = sample{ask: a, kind: res.Header.Get("Content-Type"), encoding: res.Header.Get("Content-Encoding")}
	if s.body, err = io.ReadAll(res.Body); err == nil && res.StatusCode != a.status {
		err = fmt.Errorf("%s: got %s, want %d: %.200s", a.what, res.Status, a.status, bytes.TrimSpace(s.body))
	}
	return s, err
}

// client has connections of its own to the edge, which is asked by the shop's name.
func (e *edge) client() *http.Client {
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true, DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, network, e.at)
		},
	}
	return &http.Client{Transport: transport, Timeout: 10 * time.Second}
}
