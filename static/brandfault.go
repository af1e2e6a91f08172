package static

import "strings"

// Fault is one thing that is wrong with a [Look].
type Fault struct {
	Key          string // of the configuration, as brand.texts.de.waiting.lead
	Wrong, Right string // "is wrong", "what would be right"; Right may be empty
}

// Faults is everything that is wrong with a Look, as one error.
type Faults []Fault

// Error lists all faults, one a line.
func (fs Faults) Error() string {
	var lines []string
	for _, f := range fs {
		line := f.Key + ": " + f.Wrong
		if f.Right != "" {
			line += ", " + f.Right
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (fs *Faults) add(key, wrong, right string) { *fs = append(*fs, Fault{key, wrong, right}) }
