package testserver

import (
	"bytes"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
)

func TestProcess_TakenPortIsToldApart(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	path, err := binary("redis-server")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	p := &process{path: path, dir: t.TempDir(), args: []string{"--port", port, "--bind", "127.0.0.1"}}
	p.ready = func(int) bool {
		log, _ := os.ReadFile(p.log())
		return bytes.Contains(log, []byte("Ready to accept connections"))
	}
	err = p.start()
	if !errors.Is(err, errEnded) {
		t.Fatalf("start on a taken port: got %v, want %v", err, errEnded)
	}
	if !strings.Contains(err.Error(), "ddress already in use") {
		t.Errorf("start on a taken port: the log is missing from %q", err)
	}
}

func TestBinary_NamesTheRemedy(t *testing.T) {
	t.Parallel()
	_, err := binary("no-such-server")
	if err == nil || !strings.Contains(err.Error(), "run make deps") {
		t.Errorf("got %v, want the words: run make deps", err)
	}
}
