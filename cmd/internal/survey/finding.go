package survey

import (
	"fmt"
	"slices"
	"strings"
)

// Level is how bad a finding is.
type Level int

const (
	Unknown Level = iota // could not be asked: somebody who may should look
	Warning              // it works, and something that was promised may be lost
	Fault                // it does not work, or units or orders are lost in normal operation
)

func (l Level) String() string {
	return [...]string{"not checked", "warning", "fault"}[l]
}

// Finding is one thing that is not as it should be.
type Finding struct {
	Level Level
	Store string // "redis 10.0.0.6:6379", "postgres"
	Words string // what is wrong: what would be right
}

func (f Finding) String() string { return fmt.Sprintf("%s: %s: %s", f.Level, f.Store, f.Words) }

// Faulty reports whether there is a fault among findings.
func Faulty(found []Finding) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Level == Fault })
}

// findings collect what is said about one store.
type findings struct {
	store string
	all   []Finding
}

func (f *findings) add(level Level, words string, args ...any) {
	f.all = append(f.all, Finding{level, f.store, fmt.Sprintf(words, args...)})
}

// oneLine is an error of several lines in one, each of them once: clients say of
// every address, and of every attempt, what came of it.
func oneLine(err error) string {
	var parts []string
	for line := range strings.Lines(err.Error()) {
		if part := strings.TrimSpace(line); part != "" && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "; ")
}
