package main

import "testing"

// A word that nobody was told says nothing of those who got one.
func TestShareOfNone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		part, all int
		want      string
	}{{0, 0, "–"}, {0, 7, "0 %"}, {1, 4, "25 %"}} {
		if got := of(test.part, test.all); got != test.want {
			t.Errorf("%d of %d: %q, want %q", test.part, test.all, got, test.want)
		}
	}
}
