package testserver

import (
	"fmt"
	"os"
)

// Measurement is the [Owner] that a program without tests has: whoever makes one
// ends it. A fault ends the program, and the servers with it. It is for one
// goroutine.
type Measurement struct{ ends []func() }

// Helper does nothing: there is no test whose lines are told.
func (*Measurement) Helper() {}

// Cleanup lets f be called by End.
func (m *Measurement) Cleanup(f func()) { m.ends = append(m.ends, f) }

// Error prints what is wrong.
func (*Measurement) Error(args ...any) { fmt.Fprintln(os.Stderr, args...) }

// Fatal prints what is wrong and ends the program.
func (m *Measurement) Fatal(args ...any) {
	m.Error(args...)
	os.Exit(1)
}

// End ends all servers in the reverse order of their start. A second End does
// nothing.
func (m *Measurement) End() {
	for len(m.ends) > 0 {
		last := len(m.ends) - 1
		end := m.ends[last]
		m.ends = m.ends[:last]
		end()
	}
}
