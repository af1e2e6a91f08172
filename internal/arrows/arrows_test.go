package arrows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/waitroom/waitroom"

// unit is what is asked of `go list`: paths are as it prints them.
type unit struct {
	ImportPath string
	Imports    []string // of the files that are not tests
	Error      *struct{ Err string }
}

// mayImport names, for each package that others of ours build on, all of ours
// that it may import. Packages under cmd and bench wire, and may import any.
var mayImport = map[string][]string{
	"configs":  nil,
	"static":   nil,
	"queueing": {"configs"},
	"shedding": {"configs"},
	"gate":     {"configs"},
	"proxy": {"queueing", "shedding", "gate", "static", "configs",
		"proxy/cache", "proxy/certs", "proxy/challenge", "proxy/kept", "proxy/places", "proxy/express", "proxy/framing", "proxy/listen", "proxy/origin", "proxy/stitch"},
	"proxy/cache":     nil,
	"proxy/certs":     {"configs"},
	"proxy/challenge": {"configs"},
	"proxy/kept":      {"configs"},
	"proxy/places":    nil,
	"proxy/framing":   nil,
	"proxy/express":   {"proxy/framing"},
	"proxy/listen":    {"proxy/framing", "proxy/express"},
	"proxy/origin":    {"configs"},
	"proxy/stitch":    nil,
	"ledger":          {"gate", "configs"},
}

// noHTTP are the packages whose rules must hold without a web server.
var noHTTP = []string{"queueing", "shedding", "gate"}

// neverReaches names what a package must not reach through any chain of
// imports, of ours or of others.
var neverReaches = map[string][]string{
	"proxy":  {"ledger", "github.com/jackc/pgx/v5"},
	"ledger": {"proxy", "queueing", "shedding", "static"},
}

func TestArrows(t *testing.T) {
	t.Parallel()
	units := list(t)
	for _, fault := range faults(units) {
		t.Error(fault)
	}
	for name := range mayImport {
		if _, ok := units[module+"/"+name]; !ok {
			t.Errorf("package %s is missing, or its path has changed", name)
		}
	}
}

// list asks the go command for this module's packages and all they reach.
func list(t *testing.T) map[string]unit {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-deps",
		"-json=ImportPath,Imports,Error", module+"/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("list packages: %v\n%s", err, &stderr)
	}
	units := map[string]unit{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var u unit
		if err := decoder.Decode(&u); errors.Is(err, io.EOF) {
			return units
		} else if err != nil {
			t.Fatalf("decode go list: %v", err)
		}
		if u.Error != nil && ours(u.ImportPath) != "" {
			t.Errorf("%s: %s", u.ImportPath, u.Error.Err)
		}
		units[u.ImportPath] = u
	}
}

// faults lists every import that goes against the arrows.
func faults(units map[string]unit) []string {
	var found []string
	for path, u := range units {
		name := ours(path)
		if name == "" {
			continue
		}
		for _, imported := range u.Imports {
			if reason := forbidden(name, imported); reason != "" {
				found = append(found, fmt.Sprintf("%s imports %s: %s", name, imported, reason))
			}
		}
		for _, far := range neverReaches[name] {
			if chain := reach(units, path, far, map[string]bool{}); chain != nil {
				found = append(found, fmt.Sprintf("%s reaches %s: %s", name, far, strings.Join(chain, " > ")))
			}
		}
	}
	slices.Sort(found)
	return found
}

// forbidden says why the package may not import the other one, or nothing.
func forbidden(name, imported string) string {
	if imported == "net/http" && slices.Contains(noHTTP, name) {
		return "its rules must hold without a web server"
	}
	other := ours(imported)
	if other == "" || wires(name) {
		return ""
	}
	if within(other, "internal") {
		if within(name, "internal") {
			return ""
		}
		return "what is under internal is for tests, cmd and bench"
	}
	if within(name, "internal") {
		return ""
	}
	allowed, known := mayImport[unitOf(name)]
	switch {
	case !known:
		return fmt.Sprintf("%s has no floor; give it one, here and in the layout", name)
	case unitOf(name) == unitOf(other), slices.Contains(allowed, unitOf(other)):
		return ""
	case len(allowed) == 0:
		return "it may import nothing of ours"
	default:
		return "of ours it may import only " + strings.Join(allowed, ", ")
	}
}

// reach is a chain of imports from one path to another, or nil. A name without
// a dot is one of ours. Paths in done lead nowhere.
func reach(units map[string]unit, from, to string, done map[string]bool) []string {
	done[from] = true
	for _, next := range units[from].Imports {
		if within(next, to) || within(ours(next), to) {
			return []string{from, next}
		}
		if done[next] {
			continue
		}
		if chain := reach(units, next, to, done); chain != nil {
			return append([]string{from}, chain...)
		}
	}
	return nil
}

// ours is a path of this module without the module's name, or empty.
func ours(path string) string {
	name, found := strings.CutPrefix(path, module+"/")
	if !found {
		return ""
	}
	return name
}

// unitOf is what a package counts as: itself where it has a floor of its own,
// else the package at the top that it is under.
func unitOf(name string) string {
	if _, known := mayImport[name]; known {
		return name
	}
	first, _, _ := strings.Cut(name, "/")
	return first
}

func within(name, parent string) bool {
	return name == parent || strings.HasPrefix(name, parent+"/")
}

func wires(name string) bool { return within(name, "cmd") || within(name, "bench") }

// The rules themselves: a graph with one wrong import has that fault and no
// other, though what is imported directly is also reached.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		imports map[string][]string // of our packages; a path with a dot is as it is
		want    []string            // how each fault begins
	}{
		{"all that is allowed", map[string][]string{
			"configs": {"net/url"}, "static": {"net/http"},
			"queueing": {"configs"}, "shedding": {"configs"}, "gate": {"configs", "net/url"},
			"ledger": {"gate", "configs", "net/http"}, "cmd/waitroom": {"proxy", "ledger", "internal/demo"},
			"proxy":               {"queueing", "shedding", "gate", "static", "configs", "net/http"},
			"internal/demo":       {"internal/testserver"},
			"internal/testserver": {"gate"}, "bench": {"internal/testserver"},
		}, nil},
		{"parts of proxy", map[string][]string{
			"proxy": {"proxy/cache", "proxy/listen"}, "proxy/listen": {"proxy/framing"}, "proxy/cache": {"net/http"},
		}, nil},
		{"parts of proxy that know each other", map[string][]string{
			"proxy/cache": {"proxy"}, "proxy/origin": {"proxy/cache"}, "queueing": {"proxy/certs"},
		}, []string{"proxy/cache imports", "proxy/origin imports", "queueing imports"}},
		{"configs imports ours", map[string][]string{"configs": {"static"}}, []string{"configs imports"}},
		{"static imports ours", map[string][]string{"static": {"configs"}}, []string{"static imports"}},
		{"sideways", map[string][]string{"queueing": {"gate"}}, []string{"queueing imports"}},
		{"sideways from below a package", map[string][]string{"gate/wire": {"shedding"}}, []string{"gate/wire imports"}},
		{"a rule needs the web", map[string][]string{"shedding": {"net/http"}}, []string{"shedding imports net/http"}},
		{"upwards", map[string][]string{"gate": {"proxy"}}, []string{"gate imports"}},
		{"the books know the line", map[string][]string{"ledger": {"queueing"}}, []string{"ledger imports", "ledger reaches queueing"}},
		{"the books are served", map[string][]string{"ledger": {"static"}}, []string{"ledger imports", "ledger reaches static"}},
		{"the request path imports the books", map[string][]string{"proxy": {"ledger"}}, []string{"proxy imports", "proxy reaches ledger"}},
		{"the request path reaches Postgres", map[string][]string{"proxy": {"example.com/a"}, "example.com/a": {"github.com/jackc/pgx/v5/pgxpool"}},
			[]string{"proxy reaches github.com/jackc/pgx/v5"}},
		{"tests' own code in the product", map[string][]string{"configs": {"internal/testserver"}}, []string{"configs imports"}},
		{"a package without a floor", map[string][]string{"common": {"configs"}}, []string{"common imports"}},
		{"a wiring package is imported", map[string][]string{"configs": {"cmd/waitroom"}}, []string{"configs imports"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := faults(graph(test.imports))
			if !slices.EqualFunc(got, test.want, strings.HasPrefix) {
				t.Errorf("faults = %q, want those that begin with %q", got, test.want)
			}
		})
	}
}

func TestReachGoesThroughOthers(t *testing.T) {
	t.Parallel()
	units := graph(map[string][]string{
		"proxy": {"example.com/a"}, "example.com/a": {"example.com/b"},
		"example.com/b": {"example.com/a", "ledger"},
	})
	want := []string{"proxy reaches ledger: " + module + "/proxy > example.com/a > example.com/b > " + module + "/ledger"}
	if got := faults(units); !slices.Equal(got, want) {
		t.Errorf("faults = %q, want %q", got, want)
	}
}

func graph(imports map[string][]string) map[string]unit {
	full := func(name string) string {
		if first, _, _ := strings.Cut(name, "/"); first != "net" && !strings.Contains(first, ".") {
			return module + "/" + name
		}
		return name
	}
	units := map[string]unit{}
	for name, imported := range imports {
		u := unit{ImportPath: full(name)}
		for _, other := range imported {
			u.Imports = append(u.Imports, full(other))
		}
		units[u.ImportPath] = u
	}
	return units
}
