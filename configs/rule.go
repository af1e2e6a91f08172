package configs

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// A rule is one key of a group of keys: whether it must be there, and how its
// value becomes part of a T. The tables of rules are all that the package
// knows about which keys exist. Rules are applied in the order of their table,
// so a rule may rely on what an earlier one has read.
type rule[T any] struct {
	key    string
	right  string // what to write if the key is missing; empty: it may be
	read   func(*T, value)
	inner  []string            // keys of the group that the value is, or that each of its items is
	shape  func(*T) shape      // of the value, with what a T says that no file was read into
	again  *shape              // of the value in a file that has repeat; nil: the same
	absent func(*T) (says any) // what is in force without the key; nil where nothing is
}

func must[T, V any](key, right string, f form[V], of func(*T) *V) rule[T] {
	r := may(key, f, of)
	r.right = right
	return r
}

// may is a key whose value goes where of says.
func may[T, V any](key string, f form[V], of func(*T) *V) rule[T] {
	r := rule[T]{key: key, read: func(t *T, v value) { *of(t) = read(v, f.parse) }, shape: always[T](f.shape)}
	if f.tell != nil {
		r.absent = func(t *T) any { return f.tell(*of(t)) }
	}
	return r
}

// other is a key that is read in a way of its own.
func other[T any](key string, s shape, read func(*T, value)) rule[T] {
	return rule[T]{key: key, read: read, shape: always[T](s)}
}

func always[T any](s shape) func(*T) shape { return func(*T) shape { return s } }

// list is a key whose value is a list.
func list[T, V any](key, example string, f form[V], of func(*T) *[]V) rule[T] {
	return other(key, listOf(f.shape), func(t *T, v value) {
		for _, item := range v.list(example) {
			*of(t) = append(*of(t), read(item, f.parse))
		}
	})
}

// file is a key that names a file beside the one that it is written in.
func file[T any](key string, of func(*T) *string) rule[T] {
	r := may(key, phrase(1024), of)
	r.read = func(t *T, v value) { *of(t) = beside(v.doc.name, read(v, words(1024))) }
	return r
}

// group is an optional key whose value is a group of keys of its own.
func group[T, G any](key string, of func(*T) *G, rules []rule[G]) rule[T] {
	return rule[T]{key: key, inner: keysOf(rules),
		read:  func(t *T, v value) { decode(v, of(t), rules) },
		shape: func(t *T) shape { return groupOf(rules, of(t)) },
	}
}

// groups is an optional key whose value is a list of groups of keys.
func groups[T, G any](key, example string, rules []rule[G], of func(*T) *[]G) rule[T] {
	return rule[T]{key: key, inner: keysOf(rules),
		read: func(t *T, v value) {
			*of(t) = []G{}
			for _, item := range v.list(example) {
				var g G
				decode(item, &g, rules)
				*of(t) = append(*of(t), g)
			}
		},
		shape: func(*T) shape { return listOf(groupOf(rules, new(G))) },
	}
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
	on := r.shape
	r.shape = func(t *T) shape { return anyOf(on(t), shape{Const: "off"}) }
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

// required makes a key one that must be there.
func required[T any](right string, r rule[T]) rule[T] {
	r.right = right
	return r
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
		} else if r.right != "" && !v.doc.meant[join(v.key, r.key)] {
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
				meant, ok := v.meant(key, known)
				if !ok && v.elsewhere(key) == "" || secretKey(meant) || v.doc.env != nil {
					v.doc.guard(node.Value)
				}
				v.doc.meant[join(v.key, meant)] = ok
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

// meant is the known key that an unknown one probably is. In marketing's files words
// that mean the same are known, too.
func (v value) meant(key string, known []string) (string, bool) {
	if meant, ok := meantKey(key, known); ok && v.doc.env == nil {
		return meant, true
	}
	return Nearest(key, known)
}

// unknown says that a key is not known here, and which one may be meant.
func (v value) unknown(key string, known []string) *complaint {
	if meant, ok := v.meant(key, known); ok {
		return complain("unknown key").advise(fmt.Sprintf("did you mean %q?", meant))
	}
	path := v.elsewhere(key)
	name := path[strings.LastIndexByte(path, '.')+1:]
	switch {
	case path == "":
		return complain("unknown key").advise("the keys here are " + listed(known))
	case path == name:
		return complain("unknown key").advise(fmt.Sprintf("%q belongs at the left margin", name))
	}
	return complain("unknown key").advise(fmt.Sprintf("%q belongs under %q", name, parent(path)))
}

// elsewhere is the path of a key that is known in another group of this kind of file, in
// marketing's also by another word for it; empty where there is none.
func (v value) elsewhere(key string) string {
	for _, path := range v.doc.keys {
		name := path[strings.LastIndexByte(path, '.')+1:]
		if under := parent(path); under == v.key || v.beside(under) {
			continue
		}
		if name == key {
			return path
		}
		if _, ok := meantKey(key, []string{name}); ok && v.doc.env == nil {
			return path
		}
	}
	return ""
}
