package cachetests

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"text/template"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

// stopsWithin bounds how long a program may take to end.
const stopsWithin = 20 * time.Second

// start starts a program, which is ready once ready says so, and ends it with its
// owner.
func start(t testserver.Owner, ready func() bool, path string, args ...string) {
	t.Helper()
	p := testserver.NewProgram(t, ready, path, args...)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // in good order, for some have children
		if err := p.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
			return
		}
		if _, err := p.Wait(stopsWithin); err != nil {
			t.Error(err)
		}
	})
}

// folder is a new one that a cache's workers can enter under whatever user they
// run.
func folder(t testserver.Owner) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "waitroom-caches-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

// write fills a template of testdata into a file of the same name in dir.
func write(t testserver.Owner, dir, name string, fill any) string {
	t.Helper()
	from, err := testdata()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	file, err := template.ParseFiles(filepath.Join(from, name))
	if err == nil {
		err = file.Execute(&text, fill)
	}
	if err != nil {
		t.Fatal(fmt.Errorf("write %s: %w", name, err))
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// installed is where a cache's program is, and the version that it says it is.
func installed(t testserver.Owner, name, flag string) (path, version string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		path = "/usr/sbin/" + name // where Debian has it, off the PATH of most
	}
	said, err := exec.Command(path, flag).CombinedOutput()
	if err != nil {
		t.Fatal(fmt.Errorf("find %s: %w: run make caches", name, err))
	}
	return path, regexp.MustCompile(`\d+(\.\d+)+`).FindString(string(said))
}
