package main

import (
	"errors"
	"testing"
	"time"
)

// TestWaits: who was not answered counts as lost, and as having waited for as long as
// anybody does.
func TestWaits(t *testing.T) {
	t.Parallel()
	var w waits
	if got := w.String(); got != "" {
		t.Errorf("of nobody: got %q, want nothing", got)
	}
	for i := range 99 {
		w.add(time.Duration(i)*time.Millisecond, nil)
	}
	w.add(time.Millisecond, errors.New("cut"))
	if got, want := w.String(), "50ms / 5s / 1.0 %"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestHello: a recorded first word is a whole record of a handshake.
func TestHello(t *testing.T) {
	t.Parallel()
	b := hello()
	if len(b) < 100 || b[0] != 22 || int(b[3])<<8|int(b[4]) != len(b)-5 {
		t.Errorf("got %d bytes that begin with %x, want one record", len(b), b[:5])
	}
}
