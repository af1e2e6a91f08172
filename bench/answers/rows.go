package main

import (
	"context"
	"fmt"
	"strings"
)

// row is one line of a table.
type row struct {
	name, what string
	ask        ask
	http2      bool
	streams    int     // at once on a connection
	most       float64 // that the ratio shall be; 0: nothing is said
	table      table
	seldom     bool // once in five rounds
	held       int  // connections, in the table of memory

	measure func(ctx context.Context, st *stage, o options, r row, round int) (map[string]figures, error)
}

// table is which of those that are printed.
type table int

const (
	answers table = iota
	memory
	latency
	lines
)

// rows are all there are, where so many connections are held at most.
func rows(held int) []row {
	var all []row
	for _, one := range asks {
		if one.name == "pass" {
			continue
		}
		for _, way := range []struct {
			name    string
			http2   bool
			streams int
			most    float64
		}{{"1", false, 1, 0.9}, {"2", true, 1, 0.9}, {"2x4", true, 4, 0.6}} {
			most := way.most
			if one.name == "me" {
				most = 1.2
			}
			all = append(all, row{name: one.name + "-" + way.name, what: one.what + over(way.http2, way.streams), ask: one,
				http2: way.http2, streams: way.streams, most: most, measure: steady})
		}
	}
	page, status, pass := asked("page"), asked("status"), asked("pass")
	return append(all,
		row{name: "pass-1", what: pass.what + over(false, 1), ask: pass, streams: 1, most: 1.1, measure: steady},
		row{name: "pass-2", what: pass.what + over(true, 1), ask: pass, http2: true, streams: 1, most: 1.1, measure: steady},
		row{name: "new-full", what: "new connection, full handshake, one page", ask: page, streams: 1, most: 1, measure: handshakes(false)},
		row{name: "new-resumed", what: "new connection, resumed, one page", ask: page, streams: 1, most: 1, measure: handshakes(true)},
		row{name: "latency-page-1", what: page.what + over(false, 1), ask: page, streams: 1, table: latency, measure: paced},
		row{name: "latency-status-2", what: status.what + over(true, 1), ask: status, http2: true, streams: 1, table: latency, measure: paced},
		row{name: "idle-1000-1", what: "HTTP/1.1", ask: page, streams: 1, held: 1000, most: 1.2, table: memory, measure: idle},
		row{name: "idle-1000-2", what: "HTTP/2", ask: page, http2: true, streams: 1, held: 1000, most: 1.2, table: memory, measure: idle},
		row{name: "idle-many-1", what: "HTTP/1.1", ask: page, streams: 1, held: held, most: 1.2, table: memory, seldom: true, measure: idle},
		row{name: "idle-many-2", what: "HTTP/2", ask: page, http2: true, streams: 1, held: held, most: 1.2, table: memory, seldom: true, measure: idle},
		row{name: "line", what: "`me`, HTTP/1.1", ask: asked("me"), streams: 1, table: lines, measure: inLine},
	)
}

func over(http2 bool, streams int) string {
	switch {
	case !http2:
		return ", HTTP/1.1"
	case streams == 1:
		return ", HTTP/2"
	}
	return fmt.Sprintf(", HTTP/2, %d streams", streams)
}

// rowsNamed gives those of which a name, or its begin, is in a list.
func rowsNamed(list string, held int) ([]row, error) {
	all := rows(held)
	if list == "" {
		return all, nil
	}
	var some []row
	var names []string
	for _, r := range all {
		names = append(names, r.name)
	}
	for word := range strings.SplitSeq(list, ",") {
		found := false
		for _, r := range all {
			if strings.HasPrefix(r.name, word) {
				some, found = append(some, r), true
			}
		}
		if !found {
			return nil, fmt.Errorf("-rows: no row begins with %q; there are %s", word, strings.Join(names, ", "))
		}
	}
	return some, nil
}
