package gate

import (
	"fmt"
	"testing"
)

// The first two are of the Redis Cluster specification and its command reference.
func TestSlot(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]int{"123456789": 0x31C3, "somekey": 11058, "": 0} {
		if got := slot(tag); got != want {
			t.Errorf("slot of %q: got %d, want %d", tag, got, want)
		}
	}
}

// Three nodes have a third of the slots each, as a Cluster divides them.
func TestTag_SpreadsOverNodes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ buckets, most int }{{3, 2}, {10, 4}, {32, 12}, {64, 24}} {
		for sale := range 40 {
			var nodes [3]int
			tags := map[string]bool{}
			for i := range test.buckets {
				tag := Tag(fmt.Sprint("toy-", sale), i)
				nodes[slot(tag)*3/slots]++
				tags[tag] = true
			}
			if len(tags) != test.buckets {
				t.Errorf("sale %d: %d tags of %d buckets", sale, len(tags), test.buckets)
			}
			if got := max(nodes[0], nodes[1], nodes[2]); got > test.most {
				t.Errorf("sale %d, %d buckets: %v on the nodes, want at most %d", sale, test.buckets, nodes, test.most)
			}
		}
	}
}

func TestTag_OfTheFirstBucketIsPlain(t *testing.T) {
	t.Parallel()
	if got, want := Tag("toy", 0), "gate:toy/0"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
