package deploy_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

// TestReadme_OnYourOwnMachine does what the README tells a new user to do on a
// machine of their own, on other ports: somebody who presses buy is in the draw.
func TestReadme_OnYourOwnMachine(t *testing.T) {
	t.Parallel()
	var script string
	for _, block := range fenced.FindAllStringSubmatch(string(read(t, "README.md")), -1) {
		if block[1] == "sh" && strings.Contains(block[2], "waitroom storefront") {
			script = block[2]
		}
	}
	edge := ""
	for _, address := range []string{"127.0.0.1:8443", "127.0.0.1:8080", "127.0.0.1:9180", "127.0.0.1:9190"} {
		if !strings.Contains(script, address) {
			t.Fatalf("the README's own machine has no %s", address)
		}
		free := testserver.FreeAddress(t)
		if edge == "" {
			edge = "https://" + free
		}
		script = strings.ReplaceAll(script, address, free)
	}
	dir := t.TempDir()
	follow(t, dir, script)

	client := trusting(t, filepath.Join(dir, "try", "data", "internal-ca.pem"))
	ask := func(method, path string) (status int, body map[string]any) {
		req, err := http.NewRequestWithContext(t.Context(), method, edge+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			return 0, nil // not there yet
		}
		defer func() { _ = resp.Body.Close() }()
		_ = json.NewDecoder(resp.Body).Decode(&body) // a page has none
		return resp.StatusCode, body
	}
	until(t, "the product page", func() bool { status, _ := ask(http.MethodGet, "/toys/golden"); return status == http.StatusOK })
	until(t, "the doors", func() bool {
		_, body := ask(http.MethodGet, "/.waitroom/golden-toy/status")
		return body["state"] == "doors"
	})
	if status, body := ask(http.MethodPost, "/toys/golden/buy"); status != http.StatusTooManyRequests || body["state"] != "lottery" {
		t.Errorf("a buy before the draw is answered with %d, %v; want 429 and the lottery", status, body)
	}
}

// follow runs the commands in a folder, with this tree's program, until the test
// is over.
func follow(t *testing.T, dir, script string) {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", dir+"/bin/", "./cmd/waitroom")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	said, err := os.Create(filepath.Join(dir, "said"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-e", "-c", script)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, said, said
	cmd.Env = append(os.Environ(), "PATH="+dir+"/bin:"+os.Getenv("PATH"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the shop runs beside
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		_ = cmd.Wait() // it was told to end
		_ = said.Close()
		if text, err := os.ReadFile(said.Name()); err == nil && t.Failed() {
			t.Logf("it said:\n%s", text)
		}
	})
}

// trusting is a client that knows the CA of a file, once it is written.
func trusting(t *testing.T, file string) *http.Client {
	t.Helper()
	roots := x509.NewCertPool()
	until(t, "the CA", func() bool {
		pem, err := os.ReadFile(file)
		return err == nil && roots.AppendCertsFromPEM(pem)
	})
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 5 * time.Second}
}

// until waits for something that takes its time.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	late := time.After(time.Minute)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-late:
			t.Fatalf("waited a minute for %s", what)
		case <-tick.C:
		}
	}
}
