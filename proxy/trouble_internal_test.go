package proxy

import (
	"errors"
	"testing"
	"time"
)

func TestTrouble(t *testing.T) {
	t.Parallel()
	away, moved, denied := errors.New("read 127.0.0.1:4001: refused"), errors.New("read 127.0.0.1:4002: refused"), errors.New("NOPERM")
	begun := time.Date(2027, 11, 26, 10, 0, 0, 0, time.UTC)
	var trouble trouble
	for _, step := range []struct {
		after time.Duration
		err   error
		want  bool
	}{
		{0, nil, false},
		{100 * time.Millisecond, away, true},
		{200 * time.Millisecond, away, false},
		{5 * time.Second, moved, false}, // of the same kind
		{6 * time.Second, denied, true},
		{6100 * time.Millisecond, away, false}, // too soon after another
		{7 * time.Second, away, true},
		{36900 * time.Millisecond, away, false},
		{37 * time.Second, away, true}, // it stays
		{37100 * time.Millisecond, nil, true},
		{37200 * time.Millisecond, nil, false},
		{37300 * time.Millisecond, away, true}, // anew
	} {
		if got := trouble.news(step.err, begun.Add(step.after)); got != step.want {
			t.Errorf("after %v, %v: got %v, want %v", step.after, step.err, got, step.want)
		}
	}
}
