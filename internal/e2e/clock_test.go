package e2e_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

// wrongClock is the name of the program waitroom as it is built here, with a
// clock that a file sets.
const wrongClock = "waitroom-with-a-wrong-clock"

const (
	module      = "github.com/waitroom/waitroom"
	shiftedPath = module + "/internal/shifted"
)

// buildWrongClock builds it once. Wherever our own code reads the wall clock it
// reads testdata/shifted.go's instead. The standard library's package time would
// be the plainer place, but everything is built from that: here the libraries come
// from the build cache, and the build costs an eighth of that at most.
var buildWrongClock = sync.OnceValue(func() error {
	overlay, err := shiftClocks(filepath.Join(binaries, "shifted"))
	if err != nil {
		return fmt.Errorf("shift clocks: %w", err)
	}
	return testserver.Build("-overlay", overlay, "-o", program(wrongClock), module+"/cmd/waitroom")
})

// shiftClocks writes changed copies of our sources into a folder and returns the
// file that tells the go command of them.
func shiftClocks(dir string) (overlay string, err error) {
	const format = `{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`
	list, err := exec.Command("go", "list", "-deps", "-f", format, module+"/cmd/waitroom").Output()
	if err != nil {
		return "", err
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	own, err := filepath.Abs("testdata/shifted.go")
	if err != nil {
		return "", err
	}
	replace := map[string]string{filepath.Join(strings.TrimSpace(string(root)), "internal/shifted/shifted.go"): own}
	for i, file := range strings.Fields(string(list)) {
		source, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		shifted, err := shift(source)
		if err != nil {
			return "", err
		}
		if shifted == nil {
			continue
		}
		replace[file] = filepath.Join(dir, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(replace[file], shifted, 0o600); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}

// shift makes a source read the shifted clock; nil if it reads none. Lines stay
// where they are.
func shift(source []byte) ([]byte, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []int // offsets of the word time
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			x, ok := s.X.(*ast.Ident)
			if ok && x.Name == "time" && slices.Contains([]string{"Now", "Since", "Until"}, s.Sel.Name) {
				found = append(found, int(x.Pos()-file.FileStart))
			}
		}
		return true
	})
	if len(found) == 0 {
		return nil, nil
	}
	out := append(slices.Clone(source), "\nvar _ time.Time // it may be used for nothing else\n"...)
	for _, at := range slices.Backward(found) {
		out = slices.Replace(out, at, at+len("time"), []byte("shifted")...)
	}
	at := int(file.Name.End() - file.FileStart)
	return slices.Insert(out, at, []byte("; import "+strconv.Quote(shiftedPath))...), nil
}

// newEdgeWithClock is newEdge for an edge whose clock is wrong.
func newEdgeWithClock(t *testing.T, dir string, o operator, wrong time.Duration) *server {
	t.Helper()
	if err := buildWrongClock(); err != nil {
		t.Fatal(err)
	}
	plain := newEdge(t, dir, o)
	s := newServer(t, wrongClock, plain.config, plain.address, plain.ready)
	s.setClock(t, wrong)
	return s
}

// setClock says by how much the clock of an edge is wrong from now on.
func (s *server) setClock(t *testing.T, wrong time.Duration) {
	t.Helper()
	writeFile(t, filepath.Join(filepath.Dir(s.config), "clock"), strconv.Itoa(int(wrong/time.Second)))
}
