package configs

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// What the parser says of a file that it cannot read is said to who knows such files.
// To who does not, these functions say it line by line, as far as marketing's files go:
// what an operator's line says may be a secret, and is never put right aloud.

var (
	mergeMark = regexp.MustCompile(`^(<{7}|={7}|>{7}|\|{7})(\s|$)`)
	keyed     = regexp.MustCompile(`^(\s*(?:- +)?)"?([A-Za-z][A-Za-z_]*)"?(\s*)(.*)$`)
	blockMark = regexp.MustCompile(`^[>|][+-]?[0-9]?[+-]?$`)
	hasRemark = regexp.MustCompile(`\s+#.*$`)
)

// slips faults each line that somebody wrote as people write who do not write such
// files every day, and reports whether there is one. Those that begin at the left
// margin can be told from good ones always; the others only in a file that cannot be
// read.
func (d *document) slips(unreadable bool) bool {
	if d.env != nil {
		return false
	}
	found := false
	for i, line := range d.lines {
		key, column, c := d.slip(i, line, unreadable)
		if c == nil {
			continue
		}
		found = true
		if key == "" && !mergeMark.MatchString(line) || userinfo.MatchString(line) {
			d.maskLine(i)
			c = complain("%s", c.wrong).advise(strings.Split(c.right, ":")[0])
		}
		d.add(place{i + 1, column}, key, c.wrong, c.right)
	}
	return found
}

// slip is what is wrong in one line, and where: at a key that is known, or none.
func (d *document) slip(i int, line string, unreadable bool) (key string, column int, c *complaint) {
	if mergeMark.MatchString(line) {
		return "", 1, complain("left behind by a program that merged two versions").advise("keep one of the two, and delete the lines that begin with <<<<<<<, ======= and >>>>>>>")
	}
	if strings.HasPrefix(line, "//") {
		return "", 1, complain("remarks do not begin with // here").advise("write # in place of //")
	}
	if key, c := d.starred(line); c != nil && (unreadable || starredKey.MatchString(line)) {
		return key, 1, c
	}
	parts := keyed.FindStringSubmatch(line)
	if parts == nil || !d.knows(parts[2]) {
		return "", 0, nil
	}
	indent, key, gap, rest := parts[1], parts[2], parts[3], parts[4]
	at := len([]rune(indent)) + 1
	if indent != "" && !unreadable {
		return "", 0, nil
	}
	value := strings.TrimFunc(strings.TrimLeft(rest, "=;:：,-–—"), unicode.IsSpace)
	should := func(value string) string { return "write " + strings.TrimSpace(key+": "+value) }
	switch mark := []rune(rest + " ")[0]; {
	case strings.ContainsRune("=;：,", mark), strings.ContainsRune("-–—", mark) && gap != "":
		return key, at, complain("%q in place of the colon", string(mark)).advise(should(value))
	case mark != ':' && (gap != "" || rest == ""):
		return key, at, complain("no colon behind it").advise(should(value))
	case mark != ':':
		return "", 0, nil
	case len(rest) > 1 && !strings.ContainsRune(" \t", []rune(rest)[1]):
		return key, at, complain("no ordinary space behind the colon").advise(should(value))
	}
	at += len([]rune(line[len(indent):])) - len([]rune(strings.TrimLeft(rest[1:], " ")))
	typed := strings.TrimSpace(rest[1:])
	if key == "title" {
		if c := titleSlip(typed, should); c != nil {
			return key, at, c
		}
	}
	if !unreadable {
		return "", 0, nil
	}
	if c := valueSlip(typed, should); c != nil {
		if meant := meantBuy(strings.TrimSpace(hasRemark.ReplaceAllString(typed, ""))); key == "buy" && meant != "" {
			c = c.advise(should(meant))
		}
		return key, at, c
	}
	if c := d.indented(i, indent, key, should(value)); c != nil {
		return key, len(indent) + 1, c
	}
	return "", 0, nil
}

var (
	starred    = regexp.MustCompile(`^\s*([*•·])\s*([A-Za-z][A-Za-z_]*)?`)
	starredKey = regexp.MustCompile(`^[*•·]\s*[A-Za-z][A-Za-z_]*\s*:`)
)

// starred complains of a line that begins as an entry of a list does in a text, and gives
// the path of its key if that is known.
func (d *document) starred(line string) (path string, c *complaint) {
	parts := starred.FindStringSubmatch(line)
	if parts == nil {
		return "", nil
	}
	c = complain("it begins with %s, which means something else here", parts[1])
	path = value{doc: d, key: " "}.elsewhere(parts[2]) // of any group
	switch {
	case path == "":
		return "", c.advise("leave it out, or write # in its place if the line is a remark")
	case parent(path) == "":
		return path, c.advise("leave it out, and begin with the key")
	}
	return path, c.advise("leave it out, and write the key under " + parent(path) + ", as " + path)
}

// knows reports whether a word is the name of a key of this kind of file, in any group.
func (d *document) knows(word string) bool {
	return slices.ContainsFunc(d.keys, func(key string) bool { return key[strings.LastIndexByte(key, '.')+1:] == word })
}

// valueSlip is what is wrong with how a value is written that stands behind its colon.
func valueSlip(value string, should func(string) string) *complaint {
	if value == "" || value[0] == '#' {
		return nil
	}
	bare := hasRemark.ReplaceAllString(value, "")
	switch quote := value[0]; {
	case quote == '"' || quote == '\'':
		inside, behind, closed := strings.Cut(value[1:], string(quote))
		if !closed && strings.TrimSpace(inside) == "" {
			return complain("its quotation mark is not closed").advise("leave it out, and write the value")
		}
		if !closed {
			return complain("its quotation mark is not closed").advise(should(string(quote) + strings.TrimSpace(hasRemark.ReplaceAllString(inside, "")) + string(quote)))
		}
		if behind = strings.TrimSpace(hasRemark.ReplaceAllString(" "+behind, "")); behind != "" && behind[0] != quote && !strings.HasSuffix(inside, `\`) {
			return complain("text stands behind its closing quotation mark").advise(should("'" + strings.ReplaceAll(bare, "'", "''") + "'"))
		}
	case strings.ContainsRune("[{", rune(quote)) && strings.ContainsAny(bare[:len(bare)-1], "]}") && !strings.HasSuffix(bare, "]") && !strings.HasSuffix(bare, "}"),
		strings.ContainsRune(">|", rune(quote)) && !blockMark.MatchString(bare):
		return complain("it begins with %c, which means something else here", quote).advise(should(inQuotes(bare)))
	case quote == '[' && !strings.Contains(value, "]"):
		return complain("its bracket [ is not closed").advise("close it with ]: " + should(bare+"]"))
	case quote == '{' && !strings.Contains(value, "}"):
		return complain("its brace { is not closed").advise("close it with }: " + should(bare+"}"))
	case strings.ContainsRune("@`%&*!]},", rune(quote)), strings.HasPrefix(value, "- "), strings.HasPrefix(value, "? "):
		return complain("it begins with %c, which means something else here", quote).advise(should(inQuotes(bare)))
	case quote != '[' && quote != '{' && (strings.Contains(bare, ": ") || strings.HasSuffix(bare, ":")):
		if end := strings.TrimRight(bare, ": "); !strings.Contains(end, ": ") {
			return complain("a colon stands behind it").advise(should(end))
		}
		return complain("a second colon in one line").advise(should(inQuotes(bare)))
	}
	return nil
}

// lateRemark is a remark behind a title: one that begins with a space. A title's own # has
// a number or a word behind it.
var lateRemark = regexp.MustCompile(`\s+#(?:\s.*)?$`)

// titleSlip is what is wrong with how a title is written, which is a text and nothing else:
// what would be cut off of it, or taken for a mark.
func titleSlip(value string, should func(string) string) *complaint {
	whole := strings.TrimSpace(lateRemark.ReplaceAllString(value, ""))
	if whole == "" || whole[0] == '#' || otherValue.MatchString(whole) {
		return nil
	}
	right := should(inQuotes(whole))
	quoted := whole[0] == '"' || whole[0] == '\''
	switch block := whole[0] == '|' || whole[0] == '>'; {
	case strings.ContainsRune("@`%&*!]},[{", rune(whole[0])), block && len(whole) > 2, strings.HasPrefix(whole, "- "), strings.HasPrefix(whole, "? "):
		return complain("it begins with %c, which means something else here", whole[0]).advise(right)
	case quoted && !remarkBehindQuote.MatchString(whole):
		return nil
	case strings.Contains(whole, " #"), strings.Contains(whole, "\t#"):
		return complain("what stands behind # is taken for a remark").advise(right + ", or put a space behind # if it is one")
	case strings.Contains(whole, ": "), strings.HasSuffix(whole, ":"):
		return complain("a second colon in one line").advise(right)
	}
	return nil
}

// otherValue is what whoever knows such files writes, and who is told of its kind.
var otherValue = regexp.MustCompile(`^(?:!!(?:str|int|float|bool|null|map|seq)\b.*|\[[^\]]*\]|\{[^}]*\})$`)

var remarkBehindQuote = regexp.MustCompile(`^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s+#`)

func inQuotes(text string) string {
	if strings.ContainsAny(text, `"\`) {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return `"` + text + `"`
}

// indented complains of a key that belongs at the left margin and does not stand there,
// under a line that begins no group.
func (d *document) indented(i int, indent, key, right string) *complaint {
	if indent == "" || !contains(d.keys, key) {
		return nil
	}
	for last := max(i-100, 0); i > last; {
		i--
		above := strings.TrimRight(hasRemark.ReplaceAllString(d.lines[i], ""), " ")
		if text := strings.TrimSpace(above); text == "" || text[0] == '#' {
			continue
		}
		if !strings.HasPrefix(above, indent) && !strings.HasSuffix(above, ":") {
			return complain("it begins with %s", plural(len(indent), "space")).advise("begin at the left margin: " + right)
		}
		return nil
	}
	return nil
}

// plainer says in plain words what the parser says.
func plainer(message string) (wrong, right string) {
	for _, known := range []struct{ of, wrong, right string }{
		{"end character of double-quoted", "a quotation mark is not closed", `close it with "`},
		{"end character of single-quoted", "a quotation mark is not closed", "close it with '"},
		{"sequence end token", "a list that begins with [ is not closed", "close it with ]"},
		{"',' or ']' must", "a list that begins with [ is not closed", "put commas between what is in it, and ] at its end"},
		{"flow mapping end token", "a group that begins with { is not closed", "close it with }"},
		{"',' or '}' must", "a group that begins with { is not closed", "put commas between what is in it, and } at its end"},
		{"corresponding to", "a bracket is closed that was not opened", "leave it out, or put the text in quotes"},
		{"mapping value is not allowed", "a second colon in one line", "put the text with the colon in quotes"},
		{"cannot start any token", "a character that no value begins with", "put the text in quotes"},
		{"tab", "a tab", "write spaces instead"},
		{"document separator", "a line of ---", "leave it out"},
		{"anchor", "a & at the beginning of a text", "put the text in quotes"},
		{"alias", "a * at the beginning of a text", "put the text in quotes"},
		{"tag", "a ! at the beginning of a text", "put the text in quotes"},
		{"directive", "a % at the beginning of a line", "put the text in quotes"},
		{"block sequence", "a list that begins in the middle of a line", "begin it in the next line, or put the text in quotes"},
	} {
		if strings.Contains(message, known.of) {
			return known.wrong, known.right
		}
	}
	return "this line does not fit to the ones before", "write each key in a line of its own, as key: value, and those of one group below each other; the mistake may be in the line above"
}
