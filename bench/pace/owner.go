package main

import (
	"fmt"
	"os"
)

// owner ends servers in the reverse order of their start; a fault ends the
// program, and the servers with it.
type owner struct{ ends []func() }

func (*owner) Helper()             {}
func (*owner) Error(args ...any)   { fmt.Fprintln(os.Stderr, args...) }
func (o *owner) Cleanup(f func())  { o.ends = append(o.ends, f) }
func (o *owner) Fatal(args ...any) { o.Error(args...); os.Exit(1) }

func (o *owner) end() {
	for len(o.ends) > 0 {
		last := len(o.ends) - 1
		o.ends[last]()
		o.ends = o.ends[:last]
	}
}
