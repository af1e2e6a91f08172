package configs

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// A value is one node of a file, with what it takes to complain about it.
type value struct {
	doc  *document
	key  string // dotted, list items as key[0]
	node ast.Node
	off  bool // it may be "off" instead
}

func (v value) fault(c *complaint) {
	if v.off && c.right != "" {
		c = complain("%s", c.wrong).advise(c.right + ", or off")
	}
	v.doc.add(placeOf(v.node.GetToken()), v.key, c.wrong, c.right)
}

// read gives what parse makes of a scalar. If it is no scalar or parse
// complains, the fault is recorded and the zero value returned.
func read[V any](v value, parse func(string) (V, *complaint)) V {
	var zero V
	text, c := v.scalar()
	if c == nil {
		text, c = v.expand(text)
	}
	if c == nil && text == "" {
		c = v.empty()
	}
	if c == nil {
		var got V
		if got, c = parse(text); c == nil {
			return got
		}
		if v.doc.env == nil { // marketing's files, in which nothing is secret
			c = cmp.Or(tidy(text, parse), c)
		}
	}
	v.fault(c)
	return zero
}

var remarkAlone = regexp.MustCompile(`:\s*(#\S.*)$`)

// empty complains of a value that is not there, and knows how it gets lost.
func (v value) empty() *complaint {
	line := v.doc.line(v.doc.places[v.key].line)
	if found := remarkAlone.FindStringSubmatch(line); found != nil && v.doc.env == nil {
		return complain("what stands behind # is taken for a remark").advise("put it in quotes: " + inQuotes(found[1]))
	}
	return complain("empty").advise("give it a value or leave the key out")
}

// scalar is the text of a value as it was typed: neither quotes nor the words
// and numbers that YAML knows change what it means.
func (v value) scalar() (string, *complaint) {
	if tabbed(v.node.GetToken()) {
		return "", complain("holds a tab").advise("write a blank, or nothing")
	}
	switch node := v.node.(type) {
	case *ast.StringNode:
		return node.Value, nil
	case *ast.LiteralNode:
		return node.Value.Value, nil
	case *ast.NullNode:
		return "", nil // null and ~ say no more than nothing does
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return node.GetToken().Value, nil
	}
	if line := keyed.FindStringSubmatch(v.doc.line(placeOf(v.node.GetToken()).line)); v.key == "title" && v.doc.env == nil && line != nil && strings.HasPrefix(line[4], ":") && !strings.Contains(line[4][1:], ":") {
		return "", complain("%s", kind(v.node)).advise("put it in quotes: write title: " + inQuotes(strings.TrimSpace(hasRemark.ReplaceAllString(line[4][1:], ""))))
	}
	return "", complain("%s", kind(v.node)).advise("write one value")
}

// tabbed reports whether a value without quotes was typed with a tab inside. The
// parser would drop it, and what stands around it would run together.
func tabbed(tk *token.Token) bool {
	switch tk.Type {
	case token.SingleQuoteType, token.DoubleQuoteType, token.LiteralType, token.FoldedType:
		return false
	default:
		return strings.Contains(strings.TrimSpace(tk.Origin), "\t")
	}
}

// list gives the items of a sequence.
func (v value) list(example string) []value {
	sequence, ok := v.node.(*ast.SequenceNode)
	if !ok {
		if text, c := v.scalar(); c == nil && text != "" && v.doc.env == nil {
			example = "[" + strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }), ", ") + "]"
		}
		v.fault(complain("%s", kind(v.node)).advise("write a list, as " + example))
		return nil
	}
	items := make([]value, len(sequence.Values))
	for i, node := range sequence.Values {
		items[i] = value{doc: v.doc, key: fmt.Sprintf("%s[%d]", v.key, i), node: node}
	}
	return items
}

// oneOrList gives the items of a sequence that may not be empty, or the one value
// that stands in its place.
func (v value) oneOrList(right string) []value {
	if _, ok := v.node.(*ast.SequenceNode); !ok {
		return []value{v}
	}
	items := v.list("")
	if len(items) == 0 {
		v.fault(complain("an empty list").advise(right))
	}
	return items
}

// is reports whether a value is this one word.
func (v value) is(word string) bool {
	text, c := v.scalar()
	return c == nil && text == word
}

// kind names what a node is, for a fault about its being something else.
func kind(node ast.Node) string {
	switch node.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a group of keys"
	case *ast.SequenceNode:
		return "a list"
	case *ast.AnchorNode:
		return "an anchor (&)"
	case *ast.AliasNode:
		return "an alias (*)"
	case *ast.TagNode:
		return "a tag (!)"
	case *ast.NullNode:
		return "empty"
	}
	return "a single value"
}

// join appends a key to a dotted path.
func join(path, key string) string {
	return strings.TrimPrefix(path+"."+key, ".")
}
