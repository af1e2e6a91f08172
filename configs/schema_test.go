package configs_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/waitroom/waitroom/configs"
)

var kinds = []string{configs.KindSale, configs.KindRoom, configs.KindOperator}

// TestSchemaFiles: what is in docs/schema is what the rules say. After a change of
// theirs it is written anew with: go test ./configs -run TestSchemaFiles -update
func TestSchemaFiles(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		name, got := filepath.Join("../docs/schema", kind+".json"), configs.Schema(kind)
		if *update {
			if err := os.WriteFile(name, got, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if want, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is old (%v): go test ./configs -run TestSchemaFiles -update", name, err)
		}
	}
	if configs.Schema("sales") != nil {
		t.Error("got a schema of a kind that there is not")
	}
}

// compiled is a schema as a library for them understands it, which also holds it
// against the schema of schemas.
func compiled(t testing.TB, kind string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(configs.Schema(kind)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(kind+".json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(kind + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchemaTakesWhatLoads: the examples and all good files of testdata pass, quotes or
// not, and editors never warn of what the program takes.
func TestSchemaTakesWhatLoads(t *testing.T) {
	t.Parallel()
	type file struct{ kind, name, text string }
	files := []file{
		{configs.KindSale, "the example", string(configs.ExampleSale)},
		{configs.KindRoom, "the example", string(configs.ExampleRoom)},
		{configs.KindOperator, "the example", string(configs.ExampleOperator)},
		{configs.KindOperator, "a brand", smallOperator + houseBrand},
		{configs.KindSale, "a brand", smallSale + saleBrand},
	}
	for _, name := range []string{"../examples/waitroom.yaml", "../examples/sales/golden-toy.yaml", "../examples/branded/golden-toy.yaml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		kind := configs.KindOperator
		if configs.IsSaleFile(name) {
			kind = configs.KindSale
		}
		files = append(files, file{kind, name, string(text)})
	}
	cases, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range cases {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		input, outcome, _ := strings.Cut(string(text), separator)
		if regexp.MustCompile(`(?m)^\S+\.yaml[:] `).MatchString(outcome) || regexp.MustCompile(`(?m)^\S+\.yaml:\d`).MatchString(outcome) {
			continue // faults
		}
		for _, part := range strings.Split("\n"+input, "\n== ")[1:] {
			at, text, _ := strings.Cut(part, "\n")
			kind := configs.KindSale
			switch {
			case at == "waitroom.yaml":
				kind = configs.KindOperator
			case !strings.HasSuffix(at, ".yaml"):
				continue
			case regexp.MustCompile(`(?m)^room:`).MatchString(text):
				kind = configs.KindRoom
			}
			files = append(files, file{kind, name + " " + at, text})
		}
	}
	if len(files) < 60 {
		t.Fatalf("got %d good files, want 60 or more", len(files))
	}
	schemas := map[string]*jsonschema.Schema{}
	for _, kind := range kinds {
		schemas[kind] = compiled(t, kind)
	}
	for _, f := range files {
		if slices.Contains([]string{"testdata/sale-title-null.txt sale.yaml", "testdata/sale-title-tilde.txt sale.yaml"}, f.name) {
			continue // words to us, nothing to an editor: it is right to ask for quotes
		}
		if err := schemas[f.kind].Validate(seen(t, f.text)); err != nil {
			t.Errorf("%s: %v\n%s", f.name, err, f.text)
		}
	}
}

// TestSchemaKnowsEveryKey: and says of each what it means.
func TestSchemaKnowsEveryKey(t *testing.T) {
	t.Parallel()
	for kind, keys := range map[string][]string{
		configs.KindSale: configs.SaleKeys, configs.KindRoom: configs.RoomKeys, configs.KindOperator: configs.OperatorKeys,
	} {
		var root map[string]any
		if err := json.Unmarshal(configs.Schema(kind), &root); err != nil {
			t.Fatal(err)
		}
		said := map[string]string{}
		walk(root, "", said)
		for _, key := range keys {
			switch says, ok := said[key]; {
			case !ok:
				t.Errorf("%s: %s is not in the schema", kind, key)
			case says == "":
				t.Errorf("%s: %s has no remark in the example", kind, key)
			}
		}
	}
}

// walk collects what a schema says of each key, by its dotted path.
func walk(s map[string]any, path string, said map[string]string) {
	properties, _ := s["properties"].(map[string]any)
	for key, value := range properties {
		inner, key := value.(map[string]any), strings.TrimPrefix(path+"."+key, ".")
		if said[key] == "" {
			said[key], _ = inner["description"].(string)
		}
		walk(inner, key, said)
	}
	if items, ok := s["items"].(map[string]any); ok {
		walk(items, path, said)
	}
	either, _ := s["anyOf"].([]any)
	for _, one := range either {
		walk(one.(map[string]any), path, said)
	}
}

// seen is what an editor makes of a file: the values of YAML 1.2's core schema, in
// which a time is a text.
func seen(t testing.TB, text string) any {
	t.Helper()
	file, err := parser.ParseBytes([]byte(strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")), 0)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return valueOf(file.Docs[0].Body)
}

var (
	coreInteger = regexp.MustCompile(`^[-+]?[0-9]+$`)
	coreFloat   = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
)

func valueOf(node ast.Node) any {
	switch node := node.(type) {
	case *ast.MappingNode:
		all := map[string]any{}
		for _, entry := range node.Values {
			all[entry.Key.GetToken().Value] = valueOf(entry.Value)
		}
		return all
	case *ast.SequenceNode:
		all := []any{}
		for _, item := range node.Values {
			all = append(all, valueOf(item))
		}
		return all
	case *ast.LiteralNode:
		return node.Value.Value
	}
	tk := node.GetToken()
	switch {
	case tk.Type == token.SingleQuoteType || tk.Type == token.DoubleQuoteType:
		return tk.Value
	case slices.Contains([]string{"", "~", "null"}, tk.Value):
		return nil
	case tk.Value == "true" || tk.Value == "false":
		return tk.Value == "true"
	case coreInteger.MatchString(tk.Value):
		if n, err := strconv.Atoi(tk.Value); err == nil {
			return n
		}
	case coreFloat.MatchString(tk.Value):
		if f, err := strconv.ParseFloat(tk.Value, 64); err == nil {
			return f
		}
	}
	return tk.Value
}
