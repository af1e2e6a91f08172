package main

import (
	"context"
	"fmt"
)

// inLine asks for the place of somebody in lines of several lengths, at an edge of its
// own. Its figures go by the lengths.
func inLine(ctx context.Context, st *stage, o options, r row, round int) (map[string]figures, error) {
	if st.lines == nil {
		lengths := map[string]int{}
		for _, n := range o.lines {
			lengths[lineOf(n)] = n
		}
		var err error
		if st.lines, err = st.openEdge(ctx, lengths); err != nil {
			return nil, fmt.Errorf("open lines: %w", err)
		}
	}
	if err := st.lines.relax(ctx, resting); err != nil {
		return nil, err
	}
	all := map[string]figures{}
	for i := range o.lines {
		n := o.lines[(i+round)%len(o.lines)]
		t := st.target(st.lines.server, r)
		t.ask.path, t.ticket = "/.waitroom/"+lineOf(n)+"/me", st.lines.tickets[lineOf(n)]
		f, err := st.lines.saturate(ctx, o, t)
		if err != nil {
			return nil, err
		}
		all[lineOf(n)] = f
	}
	return all, nil
}

// lineOf is the sale with so many in line.
func lineOf(n int) string { return fmt.Sprintf("line-%d", n) }
