package main

import (
	"fmt"
	"io"
	"time"

	"github.com/waitroom/waitroom/bench/internal/command"
)

// printTable writes what each kind costs, and what share that is of passing one on.
func printTable(w io.Writer, all []result) {
	command.Say(w, "| | CPU, HTTP/1.1 | of one passed on | CPU, HTTP/2 | of one passed on | allocations, HTTP/1.1 | HTTP/2 | commands in Redis |\n|---|---:|---:|---:|---:|---:|---:|---:|")
	var peer result
	for _, r := range all {
		if r.peer {
			peer = r
		}
		command.Say(w, "| %s | %s | %s | %s | %s | %s | %s | %s |", r.name,
			micros(r.http1.cpu), share(r.http1, peer.http1), micros(r.http2.cpu), share(r.http2, peer.http2),
			count(r.http1, "%.0f", r.http1.allocs), count(r.http2, "%.0f", r.http2.allocs), count(r.http1, "%.2f", max(r.http1.commands, r.http2.commands)))
	}
}

func micros(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("%d µs", d.Microseconds())
}

func share(one, peer cost) string {
	if one.cpu == 0 || peer.cpu == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(one.cpu)/float64(peer.cpu))
}

func count(c cost, format string, n float64) string {
	if c.cpu == 0 || c.allocs == 0 { // nginx tells of none
		return ""
	}
	return fmt.Sprintf(format, n)
}
