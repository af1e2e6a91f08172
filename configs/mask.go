package configs

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/ast"
)

// Faults show lines of the file, and lines hold secrets. What is masked keeps
// its length, so that columns stay true.

var (
	reference = regexp.MustCompile(`^\$\{[^}]*\}$`)
	userinfo  = regexp.MustCompile(`(://)\S*@`)
	password  = regexp.MustCompile(`(?i)(password=).*`)
	lineStart = regexp.MustCompile(`^([ \t]*(?:- +)*(?:[\w.-]+:)?)(.*)$`)
)

// secretKey reports whether a dotted key's value is a secret wherever it
// stands, also in a file of the wrong kind and under the wrong parent.
func secretKey(key string) bool {
	switch name := key[strings.LastIndexByte(key, '.')+1:]; name {
	case "secret", "token", "refund_url", "password":
		return true
	case "key":
		return !strings.HasPrefix(key, "tls.")
	}
	return false
}

// maskSecrets masks the values of all secret keys below a node, and what is
// secret in any address.
func (d *document) maskSecrets(node ast.Node, key string) {
	mapping, ok := node.(*ast.MappingNode)
	if !ok {
		return
	}
	for _, entry := range mapping.Values {
		inner := join(key, entry.Key.GetToken().Value)
		if secretKey(inner) {
			d.mask(entry.Value)
		}
		d.maskSecrets(entry.Value, inner)
	}
	if key != "" {
		return
	}
	for i, line := range d.lines {
		for _, part := range []*regexp.Regexp{userinfo, password} {
			line = part.ReplaceAllStringFunc(line, func(found string) string {
				head := part.FindStringSubmatch(found)[1]
				return head + stars(found[len(head):])
			})
		}
		d.lines[i] = line
	}
}

// mask hides a value: from where it begins to the end of its last line. A bare
// reference to the environment gives nothing away and stays.
func (d *document) mask(node ast.Node) {
	if sequence, ok := node.(*ast.SequenceNode); ok {
		for _, value := range sequence.Values {
			d.mask(value)
		}
		return
	}
	if tk := node.GetToken(); tk == nil || reference.MatchString(tk.Value) {
		return
	}
	from := placeOf(node.GetToken())
	for n := from.line; n <= min(lastLine(node, from.line), len(d.lines)); n++ {
		runes := []rune(d.lines[n-1])
		keep := 0
		if n == from.line {
			keep = min(from.column-1, len(runes))
		}
		d.lines[n-1] = string(runes[:keep]) + stars(string(runes[keep:]))
	}
}

// guard masks what an unknown key says, which may be a misspelt secret.
func (d *document) guard(node ast.Node) {
	at := placeOf(node.GetToken()).line
	before := d.line(at)
	d.mask(node)
	if d.line(at) != before {
		d.hidden[at] = true
	}
}

// lastLine is the last line that a scalar may reach: the one before the next
// key's.
func lastLine(node ast.Node, first int) int {
	tk := node.GetToken()
	if literal, ok := node.(*ast.LiteralNode); ok && literal.Value != nil {
		tk = literal.Value.GetToken()
	}
	for tk = tk.Next; tk != nil; tk = tk.Next {
		if tk.Position.Line > first {
			return tk.Position.Line - 1
		}
	}
	return int(^uint(0) >> 1)
}

// maskLine hides what is written on a line but the key that it begins with and
// the marks that make its structure.
func (d *document) maskLine(i int) {
	if i < 0 || i >= len(d.lines) {
		return
	}
	parts := lineStart.FindStringSubmatch(d.lines[i])
	d.lines[i] = parts[1] + strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return '*'
		}
		return r
	}, parts[2])
}

// stars replaces every character that can be seen.
func stars(text string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '\t' {
			return r
		}
		return '*'
	}, text)
}
