package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/waitroom/waitroom/internal/testserver"
)

const (
	nginx   = "nginx"
	haproxy = "haproxy"
	caddy   = "caddy"
)

// peer is how one of them is run: its settings, which are written to a file, and the
// arguments that name it.
type peer struct {
	settings func(st *stage, at string, samples []sample) string
	args     func(file string) []string
	tells    []string // command that tells the version of the program, which is its last argument
	version  string   // pattern of it
}

var peers = map[string]peer{
	nginx: {nginxSettings, func(file string) []string { return []string{"-c", file} },
		[]string{"sh", "-c", `"$0" -v`}, `nginx/([\d.]+)`},
	haproxy: {haproxySettings, func(file string) []string { return []string{"-db", "-f", file} },
		[]string{"sh", "-c", `"$0" -v`}, `version ([\d.]+)`},
	caddy: {caddySettings, func(file string) []string { return []string{"run", "--adapter", "caddyfile", "--config", file} },
		[]string{"go", "version", "-m"}, `caddyserver/caddy/v2\s+v([\d.]+)`},
}

// peersNamed reads a list, in which each has to be there.
func peersNamed(list string) (all []string, err error) {
	if list == "" {
		return nil, nil
	}
	for name := range strings.SplitSeq(list, ",") {
		if _, ok := peers[name]; !ok {
			return nil, fmt.Errorf("-peers: there is no %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(peers)), ", "))
		}
		if _, err := exec.LookPath(name); err != nil && name != caddy {
			return nil, fmt.Errorf("-peers: %s is not installed: run .ci/deps answers, or name others", name)
		}
		all = append(all, name)
	}
	return all, nil
}

func (st *stage) programOf(name string) string {
	if name == caddy {
		return filepath.Join(st.dir, caddy)
	}
	return name
}

// openPeer starts one that gives the samples, and passes on what else it is asked.
func (st *stage) openPeer(name string, p peer, samples []sample) (*server, error) {
	if err := os.MkdirAll(st.html(), 0o700); err != nil {
		return nil, err
	}
	for _, s := range samples {
		if err := os.WriteFile(filepath.Join(st.html(), s.name), s.body, 0o600); err != nil {
			return nil, err
		}
	}
	at, file := testserver.FreeAddress(st.owner), filepath.Join(st.dir, name+".conf")
	if err := os.WriteFile(file, []byte(p.settings(st, at, samples)), 0o600); err != nil {
		return nil, err
	}
	s := st.program(name, at, testserver.Listens(at), st.programOf(name), p.args(file)...)
	return s, s.Start()
}

// html is the folder of the samples' bodies.
func (st *stage) html() string { return filepath.Join(st.dir, "html") }
