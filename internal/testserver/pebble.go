package testserver

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Issuer is a real ACME server, Pebble, which believes nobody: it looks for proofs
// at two addresses on loopback, whatever the domain. Its methods may be called
// from any goroutine.
type Issuer struct {
	Directory string // https://127.0.0.1:PORT/dir, for tls.ca
	Root      string // PEM file of who vouches for the directory, for tls.ca_root
	HTTP, TLS string // where proofs are looked for: HTTP-01, TLS-ALPN-01

	desk *desk
}

// Pebble starts an issuer of certificates that live so long. Its program is built
// once in a process of tests, from what internal/tools pins. It ends with the test.
func Pebble(t Owner, life time.Duration) *Issuer {
	t.Helper()
	program, err := thePebble()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := newDir("issuer-", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { report(t, os.RemoveAll(dir)) })
	own, err := writePair(dir, SelfSigned(t))
	if err != nil {
		t.Fatal(err)
	}
	names := startNames(t)
	i := &Issuer{Root: own.chain, HTTP: FreeAddress(t), TLS: FreeAddress(t)}
	behind := FreeAddress(t)
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": behind, "certificate": own.chain, "privateKey": own.key,
		"httpPort": portOf(i.HTTP), "tlsPort": portOf(i.TLS), "keyAlgorithm": "ecdsa",
		"profiles": map[string]any{"default": map[string]any{"description": "the only one", "validityPeriod": int(life / time.Second)}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "pebble.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	p := NewProgram(t, Listens(behind), "/usr/bin/env", "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0", "PEBBLE_AUTHZREUSE=0",
		program, "-config", file, "-dnsserver", names)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	i.desk = startDesk(t, behind, own)
	i.Directory = "https://" + i.desk.addr + "/dir"
	return i
}

func portOf(address string) int {
	_, text, _ := strings.Cut(address, ":")
	port, _ := strconv.Atoi(text)
	return port
}

// thePebble is the path of the program.
var thePebble = sync.OnceValues(func() (string, error) {
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find go.mod: %w", err)
	}
	tools := filepath.Join(filepath.Dir(strings.TrimSpace(string(mod))), "internal", "tools", "go.mod")
	dir, err := newDir("pebble-", nil)
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "pebble")
	build := exec.Command("go", "build", "-modfile", tools, "-o", program, "github.com/letsencrypt/pebble/v2/cmd/pebble")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build pebble: %w\n%s", err, out)
	}
	return program, nil
})
