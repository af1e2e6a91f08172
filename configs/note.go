package configs

import (
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
)

// A note is what an example says of a key: the remark behind it, or else the one above,
// and its value. The examples are the one place where that is written.
type note struct {
	says  string
	value any
}

var (
	// keyLine is a key of an example, which may be commented out: indent, mark, indent,
	// key, and the rest of the line.
	keyLine    = regexp.MustCompile(`^( *)(# )?( *(?:- )?)([a-z_]+):(?: +(.*))?$`)
	remarkLine = regexp.MustCompile(`^ *# (.*)$`)
	remarkOnly = regexp.MustCompile(`^((?:"[^"]*"|'[^']*'|[^"'#]|\S#)*?)(?:(?:^| +)# (.*))?$`)
)

// notesOf gives the notes of an example by dotted key. Of a key that it has twice, the
// first counts.
func notesOf(example string) map[string]note {
	notes := map[string]note{}
	var path []string // the keys around a line
	var indents []int
	above := ""
	for line := range strings.Lines(example) {
		line = strings.TrimRight(line, "\n")
		parts := keyLine.FindStringSubmatch(line)
		if parts == nil {
			if remark := remarkLine.FindStringSubmatch(line); remark != nil {
				above = strings.TrimSpace(above + " " + remark[1])
			} else {
				above = ""
			}
			continue
		}
		indent := len(parts[1]) + len(parts[3])
		for len(indents) > 0 && indents[len(indents)-1] >= indent {
			path, indents = path[:len(path)-1], indents[:len(indents)-1]
		}
		path, indents = append(path, parts[4]), append(indents, indent)
		rest := remarkOnly.FindStringSubmatch(parts[5])
		n := note{says: above}
		if rest != nil && rest[2] != "" {
			n.says = rest[2]
		}
		if rest != nil && strings.TrimSpace(rest[1]) != "" {
			if err := yaml.Unmarshal([]byte(rest[1]), &n.value); err != nil {
				n.value = nil
			}
		}
		if key := strings.Join(path, "."); notes[key].says == "" {
			notes[key] = n
		}
		above = ""
	}
	return notes
}
