package configs

import (
	"bytes"
	"encoding/json"
)

// The kinds of file that there is a schema of.
const (
	KindSale     = "sale"
	KindRoom     = "room"
	KindOperator = "operator"
)

// Schema is the JSON Schema (draft 2020-12) of a kind of file, for editors: keys, what
// must be there, forms, defaults and, from the examples, what each key means. It follows
// from the rules that read the files. It is nil for a kind that there is not.
func Schema(kind string) []byte {
	var s shape
	switch kind {
	case KindSale:
		s = described(groupOf(saleRules(), defaultSale("")), ExampleSale)
		s.Title = "A sale of waitroom"
	case KindRoom:
		s = described(groupOf(roomRules(), defaultRoom("")), ExampleRoom)
		s.Title = "A room of waitroom: a line before a path, without stock"
	case KindOperator:
		o := &operator{Config: *defaultConfig("")}
		o.Worker.Name = "" // this machine's
		s = described(groupOf(operatorRules(), o), ExampleOperator)
		s.Title = "The operator's file of waitroom"
	default:
		return nil
	}
	s.Dialect = "https://json-schema.org/draft/2020-12/schema"
	text, err := plainJSON(s)
	if err != nil {
		panic(err) // a shape is plain data
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		panic(err)
	}
	return append(b.Bytes(), '\n')
}

// groupOf is the shape of a group of keys, and of its defaults.
func groupOf[T any](rules []rule[T], defaults *T) shape {
	s := shape{Type: "object", AdditionalProperties: false}
	dated, repeating := shape{}, shape{Required: []string{"repeat"}}
	for _, r := range rules {
		own := r.shape(defaults)
		if r.absent != nil && r.right == "" {
			own.Default = r.absent(defaults)
		}
		if r.right != "" {
			s.Required = append(s.Required, r.key)
		}
		if r.again != nil {
			dated.Required = append(dated.Required, r.key)
			dated.Properties = append(dated.Properties, property{r.key, own})
			repeating.Properties = append(repeating.Properties, property{r.key, *r.again})
			own = shape{}
		}
		s.Properties = append(s.Properties, property{r.key, own})
	}
	if dated.Required != nil {
		s.If, s.Then, s.Else = &shape{Required: repeating.Required}, &shape{Properties: repeating.Properties}, &dated
	}
	return s
}

// described is a group with what an example says of its keys.
func described(s shape, example []byte) shape {
	says := notesOf(string(example))
	s.describe("", says)
	return s
}

// describe puts notes to the keys of a group and of the groups in it.
func (s *shape) describe(path string, says map[string]note) {
	for i := range s.Properties {
		p := &s.Properties[i]
		key := join(path, p.key)
		if n, ok := says[key]; ok {
			p.shape.Description = n.says
			if n.value != nil && p.shape.Type != "object" {
				p.shape.Examples = []any{n.value}
			}
		}
		p.shape.inner(func(group *shape) { group.describe(key, says) })
	}
}

// inner calls f with each group that a value may be or consist of.
func (s *shape) inner(f func(*shape)) {
	if s.Properties != nil {
		f(s)
	}
	if s.Items != nil {
		s.Items.inner(f)
	}
	for i := range s.AnyOf {
		s.AnyOf[i].inner(f)
	}
}
