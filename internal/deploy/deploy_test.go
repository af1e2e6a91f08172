// Package deploy_test checks the files that put waitroom on a machine against
// the programs and against each other: no engine is there to build them.
package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/waitroom/waitroom/configs"
)

const root = "../.."

// compose is what these tests read of compose.yaml.
type compose struct {
	Services map[string]struct {
		Image       string
		Entrypoint  []string
		Command     []string
		Environment map[string]string
		Volumes     []string
		DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
		Healthcheck struct{ Test []string }
	}
	Volumes map[string]any
}

func readCompose(t *testing.T) compose {
	t.Helper()
	var c compose
	if err := yaml.Unmarshal(read(t, "compose.yaml"), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestExamples_AreValidUnderCompose(t *testing.T) {
	t.Parallel()
	environment := readCompose(t).Services["edge-1"].Environment
	lookup := func(name string) (string, bool) {
		value, ok := environment[name]
		// As long as what .env.example tells to make.
		return asked.ReplaceAllString(value, strings.Repeat("0f", 32)), ok
	}
	// Far ahead: an example with dates would have gone stale by then.
	now := time.Date(2100, time.January, 1, 12, 0, 0, 0, time.UTC)
	c, err := configs.Load(filepath.Join(root, "examples/waitroom.yaml"), lookup, now)
	if err != nil {
		t.Fatal(err)
	}
	if c.Embedded() {
		t.Error("the stores of compose.yaml are not used")
	}
	if len(c.Sales) != 1 {
		t.Fatalf("got %d sales, want 1", len(c.Sales))
	}
	if closes := c.Sales[0].Closes; closes.Before(now) {
		t.Errorf("the sale closed at %v: nobody will ever see it", closes)
	}
}

// asked is a value that compose.yaml takes from .env and cannot do without.
var asked = regexp.MustCompile(`\$\{(\w+):\?[^}]*\}`)

func TestEnvExample_NamesWhatComposeAsks(t *testing.T) {
	t.Parallel()
	var want, got []string
	for _, match := range asked.FindAllStringSubmatch(string(read(t, "compose.yaml")), -1) {
		want = append(want, match[1])
	}
	for _, match := range regexp.MustCompile(`(?m)^(\w+)=(.*)$`).FindAllStringSubmatch(string(read(t, ".env.example")), -1) {
		got = append(got, match[1])
		if match[2] != "" {
			t.Errorf("%s has a value that everybody knows", match[1])
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if want = slices.Compact(want); !slices.Equal(got, want) {
		t.Errorf(".env.example: got %v, want %v", got, want)
	}
}

func TestCompose_NamesWhatIsThere(t *testing.T) {
	t.Parallel()
	c := readCompose(t)
	for name, service := range c.Services {
		for _, volume := range service.Volumes {
			source, _, _ := strings.Cut(volume, ":")
			_, named := c.Volumes[source]
			_, err := os.Stat(filepath.Join(root, source))
			if !named && (err != nil || !strings.HasPrefix(source, "./")) {
				t.Errorf("%s: volume %s: no such volume or path", name, source)
			}
		}
		for other, on := range service.DependsOn {
			healthy := on.Condition != "service_healthy" || len(c.Services[other].Healthcheck.Test) > 0
			if _, ok := c.Services[other]; !ok || !healthy {
				t.Errorf("%s: depends on %s, which is missing or never healthy", name, other)
			}
		}
	}
	redis := strings.Join(c.Services["redis"].Command, " ")
	for _, want := range []string{"--appendonly yes", "--maxmemory-policy noeviction"} {
		if !strings.Contains(redis, want) {
			t.Errorf("redis: got %q, want %q in it", redis, want)
		}
	}
}

func TestDockerignore_LetsEveryPackageIn(t *testing.T) {
	t.Parallel()
	let := strings.Fields(string(read(t, ".dockerignore")))
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		sources, _ := filepath.Glob(filepath.Join(root, entry.Name(), "*.go"))
		// The benchmarks are no part of the programs.
		if len(sources) > 0 && entry.Name() != "bench" && !slices.Contains(let, "!"+entry.Name()) {
			t.Errorf("package %s is not let in", entry.Name())
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return file
}
