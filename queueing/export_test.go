package queueing

import "time"

// What these tests look at has nothing to do with how late Redis is, and where it has they
// say so themselves.
func init() { callTimeout = CallTimeout }

// CallTimeout is how long a call may take here.
const CallTimeout = 5 * time.Second

// Hasten leaves out the pauses between calls, for crowds in virtual time.
func (l *Line) Hasten() *Line {
	l.enters.gap, l.claims.gap = 0, 0
	return l
}

// Hasten is that of a line.
func (r *Room) Hasten() *Room {
	r.arrivals.gap, r.claims.gap = 0, 0
	return r
}
