package e2e_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/internal/shop"
	"github.com/waitroom/waitroom/internal/testserver"
)

// curl runs it against the edge. It knows the edge's CA and where the shop's name
// leads; said is what it prints, seen what it saw on the wire.
func (f *front) curl(t *testing.T, args ...string) (said, seen string, code int) {
	t.Helper()
	_, port, _ := net.SplitHostPort(f.address)
	all := append([]string{"--silent", "--show-error", "--verbose", "--max-time", "60", "--cacert", f.ca, "--resolve", shopName + ":" + port + ":127.0.0.1"}, args...)
	cmd := exec.CommandContext(t.Context(), testserver.Tool(t, "curl"), all...)
	cmd.Dir = t.TempDir()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// well is curl that must succeed.
func (f *front) well(t *testing.T, args ...string) (said, seen string) {
	t.Helper()
	said, seen, code := f.curl(t, args...)
	if code != 0 {
		t.Fatalf("curl %q ended with %d:\n%s", args, code, seen)
	}
	return said, seen
}

// TestCurl: what people and scripts do with curl.
func TestCurl(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	const size = 3 << 20
	path := filepath.Join(t.TempDir(), "toy.bin")
	content, err := io.ReadAll(shop.File(size))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	want := shop.Receipt{Name: "toy.bin", Bytes: size, Sum: hex.EncodeToString(sum[:])}
	received := func(t *testing.T, said string) {
		t.Helper()
		var got shop.Receipt
		if err := json.Unmarshal([]byte(said), &got); err != nil || got != want {
			t.Errorf("the shop received %+v (%v), want %+v", got, err, want)
		}
	}
	for _, protocol := range []string{"--http1.1", "--http2"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			said, _ := f.well(t, protocol, "--upload-file", path, f.url("/files/toy.bin"))
			received(t, said)
			said, _ = f.well(t, protocol, "--upload-file", "-", "--header", "Transfer-Encoding: chunked", "--header", "Expect:", f.url("/files/empty"))
			if !strings.Contains(said, `"bytes":0,`) {
				t.Errorf("nothing from a pipe arrives as %q", said)
			}
			said, _ = f.well(t, protocol, "--form", "note=x", "--form", "file=@"+path, f.url("/files"))
			received(t, said)
			said, _ = f.well(t, protocol, f.url("/files/3145728"))
			if said != string(content) {
				t.Errorf("%d bytes came down, or others than were sent", len(said))
			}
			f.resumes(t, protocol, content)
			said, seen := f.well(t, protocol, "--compressed", f.url("/packed"))
			if said != shop.PackedText || !strings.Contains(strings.ToLower(seen), "content-encoding: gzip") {
				t.Errorf("compressed: %d bytes:\n%s", len(said), seen)
			}
			if said, _ := f.well(t, protocol, "--head", f.url("/files/3145728")); !strings.Contains(strings.ToLower(said), "content-length: 3145728") {
				t.Errorf("--head says:\n%s", said)
			}
		})
	}
	t.Run("--expect100", func(t *testing.T) { // curl asks by itself above a megabyte
		t.Parallel()
		said, seen := f.well(t, "--http1.1", "--header", "Expect: 100-continue", "--upload-file", path, f.url("/files/toy.bin"))
		received(t, said)
		if !strings.Contains(seen, "< HTTP/1.1 100 Continue") || strings.Count(seen, "< HTTP/1.1 ") != 2 {
			t.Errorf("no 100 and 201:\n%s", seen)
		}
		_, seen = f.well(t, "--http1.1", "--header", "Expect: 100-continue", "--upload-file", path, f.url("/none"))
		if strings.Contains(seen, "100 Continue") || !strings.Contains(seen, "< HTTP/1.1 405") {
			t.Errorf("a refusal comes with a 100, or not at all:\n%s", seen)
		}
	})
	t.Run("--http1.0", func(t *testing.T) {
		t.Parallel()
		said, seen := f.well(t, "--http1.0", f.url("/lines?n=3&every=10ms"))
		if strings.Count(said, "\n") != 3 || strings.Contains(strings.ToLower(seen), "< transfer-encoding") {
			t.Errorf("an answer without a length is %q:\n%s", said, seen)
		}
		said, _ = f.well(t, "--http1.0", "--upload-file", path, f.url("/files/toy.bin"))
		received(t, said)
	})
	t.Run("--http2-prior-knowledge", func(t *testing.T) { // there is no such thing on TLS, nor on a port without
		t.Parallel()
		said, seen, _ := f.curl(t, "--http2-prior-knowledge", "http://"+f.address+"/account")
		if strings.Contains(seen, "< HTTP/2 200") || strings.Contains(said, "Log in") {
			t.Errorf("it got through: %q\n%s", said, seen)
		}
	})
	t.Run("login", func(t *testing.T) {
		t.Parallel()
		jar := filepath.Join(t.TempDir(), "jar")
		form, _ := f.well(t, "--cookie-jar", jar, f.url("/login"))
		_, csrf, _ := strings.Cut(form, `name="csrf" value="`)
		csrf, _, _ = strings.Cut(csrf, `"`)
		said, _ := f.well(t, "--location", "--cookie", jar, "--cookie-jar", jar, "--data-urlencode", "csrf="+csrf, "--data-urlencode", "user=Ann & Bo", f.url("/login"))
		if !strings.Contains(said, "Account of Ann &amp; Bo") {
			t.Errorf("the login ends at %q", said)
		}
		if kept, err := os.ReadFile(jar); err != nil || bytes.Contains(kept, []byte("__Host-wr")) {
			t.Errorf("the jar, %v:\n%s", err, kept)
		}
	})
}

// resumes breaks a download off in the middle and goes on from there.
func (f *front) resumes(t *testing.T, protocol string, content []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "part")
	if err := os.WriteFile(path, content[:1_000_001], 0o600); err != nil {
		t.Fatal(err)
	}
	_, seen := f.well(t, protocol, "--continue-at", "-", "--output", path, f.url("/files/3145728"))
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, content) {
		t.Errorf("resumed, the file has %d bytes, %v:\n%s", len(got), err, seen)
	}
	if !strings.Contains(seen, " 206") {
		t.Errorf("it did not resume:\n%s", seen)
	}
}
