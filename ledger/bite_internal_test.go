package ledger

import "testing"

func TestBite(t *testing.T) {
	t.Parallel()
	var b bite
	want := func(what string, n int, allowed bool) {
		t.Helper()
		if got := b.allows(n); got != allowed {
			t.Errorf("%s: %d winners allowed: got %v, want %v", what, n, got, allowed)
		}
	}
	want("at first", largestBatch, true)
	b.took(301, true, false)
	want("slow", 151, true)
	want("slow", 152, false)
	b.took(3, false, true)
	want("few went well", 152, false)
	b.took(151, false, false)
	want("something refused", 152, false)
	b.took(151, false, true)
	want("as many went well", 167, true)
	want("as many went well", 168, false)
	b.took(1, true, false)
	want("one was too much", 1, true)
	want("one was too much", 2, false)
	for n := 1; n < largestBatch; n++ {
		if b.allows(n) {
			b.took(n, false, true)
		}
	}
	want("recovered", largestBatch, true)
}
