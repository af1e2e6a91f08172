package configs

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// A rule is one key of a group of keys: whether it must be there, and how its
// value becomes part of a T. The tables of rules are all that the package
// knows about which keys exist. Rules are applied in the order of their table,
// so a rule may rely on what an earlier one has read.
type rule[T any] struct {
	key   string
	right string // what to write if the key is missing; empty: it may be
	read  func(*T, value)
	inner []string // keys of the group that the value is
}

func must[T any](key, right string, read func(*T, value)) rule[T] {
	return rule[T]{key: key, right: right, read: read}
}

func may[T any](key string, read func(*T, value)) rule[T] {
	return rule[T]{key: key, read: read}
}

// group is an optional key whose value is a group of keys of its own.
func group[T, G any](key string, of func(*T) *G, rules []rule[G]) rule[T] {
	return rule[T]{key: key, inner: keysOf(rules), read: func(t *T, v value) {
		decode(v, of(t), rules)
	}}
}

// orOff makes "off" a value of a rule.
func orOff[T any](r rule[T], off func(*T)) rule[T] {
	read := r.read
	r.read = func(t *T, v value) {
		if v.is("off") {
			off(t)
			return
		}
		v.off = true
		read(t, v)
	}
	return r
}

// keysOf lists the dotted keys of a table.
func keysOf[T any](rules []rule[T]) []string {
	var keys []string
	for _, r := range rules {
		keys = append(keys, r.key)
		for _, inner := range r.inner {
			keys = append(keys, join(r.key, inner))
		}
	}
	return keys
}

// decode applies a table to a group of keys: it faults what is no group, what
// is unknown, doubled or missing, and reads the rest into t.
func decode[T any](v value, t *T, rules []rule[T]) {
	mapping, ok := v.node.(*ast.MappingNode)
	if !ok {
		v.fault(complain("%s", kind(v.node)).advise("write keys, as " + rules[0].key + ": …"))
		return
	}
	entries := v.entries(mapping, keysOf(rules))
	for _, r := range rules {
		if entry, ok := entries[r.key]; ok {
			r.read(t, entry)
		} else if r.right != "" {
			v.doc.blame(join(v.key, r.key), "missing", r.right)
		}
	}
}

// named gives the values of a group whose keys may have any name; none, and a fault,
// if it is no group.
func (v value) named() map[string]value {
	mapping, ok := v.node.(*ast.MappingNode)
	if !ok {
		v.fault(complain("%s", kind(v.node)).advise("write names and values under it, each on a line of its own"))
		return nil
	}
	return v.entries(mapping, nil)
}

// entries gives the values of a mapping's known keys and faults the others; known is
// nil where any is.
func (v value) entries(mapping *ast.MappingNode, known []string) map[string]value {
	entries := map[string]value{}
	lines := map[string]int{}
	for _, node := range mapping.Values {
		at := placeOf(node.Key.GetToken())
		if len(lines) == 0 && v.key == "" {
			v.doc.places[""] = at
		}
		key, c := keyOf(node.Key)
		path := join(v.key, key)
		switch {
		case c != nil:
		case lines[key] > 0:
			c = complain("also written in line %d", lines[key]).advise("keep one of them")
		case known != nil && !contains(known, key):
			if c = v.alien(key); c == nil {
				v.doc.guard(node.Value)
				c = v.unknown(key, known)
			}
		}
		if c != nil {
			v.doc.add(at, path, c.wrong, c.right)
			continue
		}
		lines[key] = at.line
		entries[key] = value{doc: v.doc, key: path, node: node.Value}
		v.doc.places[path] = placeOf(node.Value.GetToken())
		v.doc.saying[path] = digestOf(node.Value.String())
	}
	return entries
}

// keyOf is a key's name. Merges, complex keys, anchors and tags are not names.
func keyOf(key ast.MapKeyNode) (string, *complaint) {
	if key.IsMergeKey() || key.GetToken().Type == token.MergeKeyType {
		return "<<", complain("a merge").advise("write the keys themselves")
	}
	switch key.(type) {
	case *ast.MappingKeyNode, *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		return "?", complain("not a key").advise("write a plain name before the colon")
	}
	return key.GetToken().Value, nil
}

// alien says why a key belongs to another kind of file, if it does.
func (v value) alien(key string) *complaint {
	if v.doc.alien == nil || v.key != "" {
		return nil
	}
	return v.doc.alien(key)
}

// beside reports whether another group stands beside this one in a third: who writes
// in one of its groups means that one, as limits.block among limits.
func (v value) beside(other string) bool {
	return parent(v.key) != "" && parent(v.key) == parent(other)
}

// unknown says that a key is not known here, and which one may be meant.
func (v value) unknown(key string, known []string) *complaint {
	if meant, ok := Nearest(key, known); ok {
		return complain("unknown key").advise(fmt.Sprintf("did you mean %q?", meant))
	}
	for _, path := range v.doc.keys {
		if path == key {
			return complain("unknown key").advise(fmt.Sprintf("%q belongs at the left margin", key))
		}
		if under := parent(path); under != v.key && !v.beside(under) && join(under, key) == path {
			return complain("unknown key").advise(fmt.Sprintf("%q belongs under %q", key, under))
		}
	}
	return complain("unknown key").advise("the keys here are " + listed(known))
}
