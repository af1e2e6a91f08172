package configs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	maxBytes = 64 << 10 // of one file; far beyond a real one, and the parser is not linear
	maxDepth = 8        // of brackets, for the same reason; indentation is bounded by the bytes
	maxParts = 6000     // of words and marks, for the same reason: far beyond a brand of sixteen languages
)

// readFile reads no more than one byte beyond the bound.
func readFile(name string) ([]byte, error) {
	f, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxBytes+1))
}

// readWhole is os.ReadFile for what whoever writes our files names in them.
func readWhole(name string) ([]byte, error) {
	f, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// openRegular opens a file for reading, and nothing that only has a name in a folder: a
// pipe would keep a reload, and with it the program, waiting for its other end for ever.
func openRegular(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	switch info, err := f.Stat(); {
	case err != nil:
		f.Close()
		return nil, err
	case !info.Mode().IsRegular():
		f.Close()
		return nil, errIrregular
	}
	return f, nil
}

var errIrregular = errors.New("not a regular file")

// cause is an error without the path that every fault begins with anyway.
func cause(err error) string {
	if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
		return wrapped.Err.Error()
	}
	return err.Error()
}

// normalize gives the text with one kind of line end and no byte order mark.
func normalize(text []byte) (string, *complaint) {
	if c := noText(text); c != nil {
		return "", c
	}
	clean := strings.TrimPrefix(string(text), "\ufeff")
	clean = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(clean)
	for i, line := range strings.Split(clean, "\n") {
		if strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && unicode.IsControl(r) }) {
			return "", complain("line %d holds a control character", i+1).advise("keep it plain text")
		}
	}
	return clean, nil
}

var webPage = regexp.MustCompile(`(?i)^\x{FEFF}?\s*<(?:!doctype html|html|head|body)\b`)

// noText says of a file that is none of ours by its bytes what it probably is.
func noText(text []byte) *complaint {
	begins := func(with string) bool { return strings.HasPrefix(string(text), with) }
	switch {
	case webPage.Match(text):
		return complain("a web page, not a text file").advise("write one key in each line, as sale: golden-toy")
	case begins("PK\x03\x04"), begins("{\\rtf"), begins("\xd0\xcf\x11\xe0"), begins("%PDF"):
		return complain("a document of an office program, not a text file").advise("save it as plain text in UTF-8 there, or write it in a plain editor")
	case len(text) > maxBytes:
		return complain("too large").advise("at most 64 KiB belong in one file")
	case begins("\xff\xfe"), begins("\xfe\xff"):
		return complain("saved as UTF-16, which some programs call Unicode").advise("save it again with the encoding UTF-8")
	case !utf8.Valid(text):
		line := 1 + strings.Count(string(text[:len(text)-len(invalidTail(text))]), "\n")
		return complain("line %d holds a letter that is not saved as UTF-8", line).advise("save the file again with the encoding UTF-8")
	}
	return nil
}

// invalidTail is a text from its first byte on that is not UTF-8.
func invalidTail(text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			return text
		}
		text = text[size:]
	}
	return nil
}

// parse gives the one mapping that a file must be.
func (d *document) parse(text string) ast.Node {
	if tabs, slips := d.tabs(), d.slips(false); tabs || slips {
		return nil
	}
	tokens := lexer.Tokenize(text)
	if tk := tooDeep(tokens); tk != nil {
		d.syntax(tk, "nested too deep", "a few levels are all there are")
		return nil
	}
	if len(tokens) > maxParts {
		d.syntax(tokens[maxParts], fmt.Sprintf("more than %s words and marks up to here", thousands(maxParts)), "keep the lists short")
		return nil
	}
	file, err := parseTokens(tokens)
	if err != nil {
		d.unparsable(err)
		return nil
	}
	return d.root(file.Docs)
}

// parseTokens keeps a defect of the parser from ending the program: a reload
// must never do that.
func parseTokens(tokens token.Tokens) (file *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			file, err = nil, fmt.Errorf("not understood: %v", r)
		}
	}()
	return parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
}

// tabs faults every line that is indented with a tab and reports whether there
// is one. The parser would only name the first, and not in these words.
func (d *document) tabs() bool {
	found := false
	for i, line := range d.lines {
		text := strings.TrimLeft(line, " \t")
		if text == "" || text[0] == '#' {
			continue
		}
		if at := strings.IndexByte(line[:len(line)-len(text)], '\t'); at >= 0 {
			found = true
			if d.env != nil || !d.plain(i+1) {
				d.maskLine(i)
			}
			right := "write spaces in its place"
			if parts := keyed.FindStringSubmatch(text); parts != nil && contains(d.keys, parts[2]) && d.indented(i, line[:len(line)-len(text)], parts[2], "") != nil {
				right = "begin at the left margin"
			}
			d.add(place{i + 1, at + 1}, "", "begins with a tab", right)
		}
	}
	return found
}

// tooDeep is the first token beyond the depth that any of our files needs.
func tooDeep(tokens token.Tokens) *token.Token {
	depth, entries, line := 0, 0, 0
	for _, tk := range tokens {
		if tk.Position.Line != line {
			entries, line = 0, tk.Position.Line
		}
		switch tk.Type {
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.SequenceEntryType, token.AnchorType, token.TagType, token.MappingKeyType:
			entries++
		}
		if depth > maxDepth || entries > maxDepth {
			return tk
		}
	}
	return nil
}

// unparsable turns the parser's error into a fault.
func (d *document) unparsable(err error) {
	if bad, ok := errors.AsType[*yaml.SyntaxError](err); ok && bad.Token != nil {
		if !d.slips(true) {
			wrong, right := plainer(bad.Message)
			d.syntax(bad.Token, wrong, right)
		}
		return
	}
	d.blameFile("cannot be understood: "+err.Error(), "compare it with the example, line by line")
}

// syntax faults a token of a file whose structure is not known: what on the
// line is a secret is not known either, so every value on it is masked.
func (d *document) syntax(tk *token.Token, wrong, right string) {
	if line := placeOf(tk).line; d.env != nil || !d.plain(line) {
		d.maskLine(line - 1)
	}
	d.add(placeOf(tk), "", wrong, right)
}

// plain reports whether nothing on a line can be a secret, by its key.
func (d *document) plain(n int) bool {
	parts := keyed.FindStringSubmatch(d.line(n))
	return parts != nil && d.knows(parts[2]) && !secretKey(parts[2]) && !userinfo.MatchString(d.line(n))
}

// begins says how a file of this kind begins. One that says nothing of its kind was read
// as the operator's.
func (d *document) begins() string {
	const sale = "write one key in each line, as sale: golden-toy"
	if d.env == nil {
		return sale
	}
	return sale + " where it is a sale's, or listen: … where it is the operator's"
}

// root is the mapping that the only document of a file consists of.
func (d *document) root(docs []*ast.DocumentNode) ast.Node {
	var root ast.Node
	for i, doc := range docs {
		if directive, ok := doc.Body.(*ast.DirectiveNode); ok {
			d.add(placeOf(directive.GetToken()), "", "a directive", "leave it out")
			return nil
		}
		if i > 0 {
			d.add(placeOf(doc.Start), "", "a second document", "one file is one document")
			break
		}
		root = doc.Body
	}
	if root == nil || root.Type() == ast.NullType {
		if len(d.faults) == 0 {
			d.blameFile("empty", "it needs keys, as the example shows")
		}
		return nil
	}
	mapping, ok := root.(*ast.MappingNode)
	if !ok {
		d.maskLine(placeOf(root.GetToken()).line - 1)
		d.add(placeOf(root.GetToken()), "", kind(root), d.begins())
		return nil
	}
	d.maskSecrets(mapping, "")
	return mapping
}
