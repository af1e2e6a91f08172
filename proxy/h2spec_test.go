package proxy_test

import (
	"encoding/xml"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// h2specTests is how many tests h2spec has; fewer would be a part of it.
const h2specTests = 145

// TestH2Spec: the public suite for HTTP/2 and HPACK finds nothing.
func TestH2Spec(t *testing.T) { bothWays(t, h2spec) }

func h2spec(t *testing.T, plain bool) {
	s := play(t, plot{plain: plain, config: "tls: {mode: internal}"})
	program, err := exec.Command("go", "tool", "-modfile=../internal/tools/go.mod", "-n", "h2spec").Output()
	if err != nil {
		t.Fatalf("build h2spec: %v", err)
	}
	addr, port, err := net.SplitHostPort(s.server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(t.TempDir(), "report.xml")
	out, err := exec.Command(strings.TrimSpace(string(program)), "-h", addr, "-p", port, "-t", "-k", "-o", "5", "-j", report).CombinedOutput()
	if err != nil {
		t.Errorf("h2spec: %v\n%s", err, out)
	}
	written, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var results struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Skipped  int `xml:"skipped,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(written, &results); err != nil {
		t.Fatal(err)
	}
	tests, failed := 0, 0
	for _, suite := range results.Suites {
		tests += suite.Tests
		failed += suite.Skipped + suite.Failures + suite.Errors
	}
	if tests != h2specTests || failed > 0 {
		t.Errorf("%d tests, %d of them failed or skipped; want %d and none", tests, failed, h2specTests)
	}
}
