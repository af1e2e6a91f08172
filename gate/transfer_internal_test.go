package gate

import (
	"fmt"
	"slices"
	"testing"
)

// With half of the richest's at a time refills are rare while much is left; in the
// end just what is needed moves, from as many as it takes.
func TestGifts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		stock         []int
		bucket, lacks int
		want          []gift
	}{
		{"much is left", []int{0, 400, 1000, 300}, 0, 1, []gift{{2, 500}}},
		{"more than half is needed", []int{0, 3, 40, 3}, 0, 30, []gift{{2, 30}}},
		{"one has not enough", []int{0, 10, 12, 9}, 0, 15, []gift{{2, 12}, {1, 5}}},
		{"few are left", []int{0, 1, 2, 1}, 0, 1, []gift{{2, 1}}},
		{"few are left, and three needed", []int{0, 1, 2, 1}, 0, 3, []gift{{2, 2}, {1, 1}}},
		{"one owes some", []int{-2, 5, 0, -1}, 0, 3, []gift{{1, 3}}},
		{"nobody has any", []int{0, 0, 0, -1}, 0, 1, nil},
		{"its own do not count", []int{9, 0, 0, 0}, 0, 1, nil},
		{"nothing lacks", []int{0, 5}, 0, 0, nil},
	} {
		if got := gifts(test.stock, test.bucket, test.lacks); !slices.Equal(got, test.want) {
			t.Errorf("%s: gifts(%v, %d, %d) = %v; want %v", test.name, test.stock, test.bucket, test.lacks, got, test.want)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		total int
		out   []int
		want  []int
	}{
		{100, []int{0, 0, 0, 0}, []int{25, 25, 25, 25}},
		{11, []int{1, 0, 0}, []int{4, 3, 3}},
		{2, []int{0, 0, 0}, []int{1, 1, 0}},
		{5, []int{5, 0, 0}, []int{0, 0, 0}},
		{3, []int{2, 0, 3}, []int{-2, 0, 0}},
		{1, []int{2, 0, 3}, []int{-2, 0, -2}},
		{7, []int{0}, []int{7}},
	} {
		if got := split(test.total, test.out); !slices.Equal(got, test.want) {
			t.Errorf("split(%d, %v) = %v; want %v", test.total, test.out, got, test.want)
		}
	}
}

// No unit is left out of a picture, and none is in it twice, whichever of a
// transfer's buckets was asked first.
func TestAssemble_CountsWhatIsOnItsWay(t *testing.T) {
	t.Parallel()
	gave := func(stock int, number uint64) part {
		return part{built: true, mark: Mark{1, number}, stock: stock, sale: 10, buckets: 2, gave: map[int]transfer{1: {number, 3}}}
	}
	took := func(stock int, number uint64) part {
		return part{built: true, mark: Mark{1, 5}, stock: stock, buckets: 2, took: map[int]transfer{0: {number, 3}}}
	}
	for _, test := range []struct {
		name          string
		parts         []part
		left, transit int
		outran        bool
	}{
		{"before", []part{gave(7, 4), took(3, 4)}, 10, 0, false},
		{"given", []part{gave(4, 5), took(3, 4)}, 7, 3, false},
		{"taken", []part{gave(4, 5), took(6, 5)}, 10, 0, false},
		{"the donor before it gave, the receiver after it took", []part{gave(7, 4), took(6, 5)}, 10, 0, false},
		{"two between the answers", []part{gave(1, 6), took(3, 4)}, 4, 0, true},
	} {
		c := assemble(test.parts, make([]Mark, 2))
		s, outran := c.snap, c.outran
		if s.Left != test.left || s.Transit != test.transit || outran != test.outran || s.Total != 10 || !s.Open() {
			t.Errorf("%s: %+v, outran %t; want %d left, %d in transit, outran %t", test.name, s, outran, test.left, test.transit, test.outran)
		}
	}
}

func TestAssemble_SaysWhyItSellsNothing(t *testing.T) {
	t.Parallel()
	at := func(epoch, moves uint64, closed string, buckets int) part {
		return part{built: epoch > 0, mark: Mark{epoch, moves}, closed: closed, buckets: buckets}
	}
	for _, test := range []struct {
		name    string
		parts   []part
		missing bool
		closed  string
		mark    Mark
		floor   uint64
	}{
		{"all open", []part{at(4, 6, "", 2), at(4, 9, "", 2)}, false, "", Mark{4, 15}, 0},
		{"all closed", []part{at(4, 6, "by x", 2), at(4, 9, "by x", 2)}, false, "by x", Mark{4, 15}, 0},
		{"one closed", []part{at(4, 6, "", 2), at(4, 9, "by x", 2)}, false, "by x (not all of 2 buckets)", Mark{4, 15}, 0},
		{"closed by two", []part{at(4, 6, "by y", 2), at(4, 9, "by x", 2)}, false, "by y (not all of 2 buckets)", Mark{4, 15}, 0},
		{"a node forgot everything", []part{at(4, 6, "", 2), at(0, 0, "", 1)}, true, "", Mark{4, 6}, 0},
		{"a node has an older rebuild", []part{at(4, 6, "", 2), at(3, 9, "", 2)}, false, "its buckets are of different rebuilds", Mark{4, 6}, 4},
		{"a node forgot the last moves", []part{at(4, 6, "", 2), at(4, 4, "", 2)}, false, olderThanSeen, Mark{4, 10}, 4},
		{"another number of buckets", []part{at(4, 6, "", 3), at(4, 9, "", 3)}, false, "built in 3 buckets, not in 2", Mark{4, 15}, 0},
	} {
		s := assemble(test.parts, []Mark{{4, 5}, {4, 5}}).snap
		if s.Missing != test.missing || s.Closed != test.closed || s.Mark != test.mark || s.Floor != test.floor {
			t.Errorf("%s: %+v; want missing %t, closed %q, mark %v, floor %d", test.name, s, test.missing, test.closed, test.mark, test.floor)
		}
	}
}

// A bucket is older than what was seen as soon as another was seen in a later
// rebuild.
func TestNewest(t *testing.T) {
	t.Parallel()
	g := New(nil, "toy", 3)
	g.saw(0, Mark{3, 7}, 0)
	g.saw(1, Mark{4, 2}, 0)
	g.saw(1, Mark{4, 1}, 0)
	if got, want := fmt.Sprint(g.newestAll()), "[{4 0} {4 2} {4 0}]"; got != want {
		t.Errorf("newest of each %s; want %s", got, want)
	}
	if got := g.whole(); got != (Mark{4, 2}) {
		t.Errorf("of all %v; want {4 2}", got)
	}
}

func TestHome(t *testing.T) {
	t.Parallel()
	// printf %s ticket-0001020304050607 | sha256sum | head -c 16
	if got := Home("ticket-0001020304050607", 10); got != 4 {
		t.Errorf("Home = %d; want %d", got, 4)
	}
	count := make([]int, 10)
	for i := range 10000 {
		count[Home(fmt.Sprint("account ", i), 10)]++
	}
	if slices.Min(count) < 900 || slices.Max(count) > 1100 {
		t.Errorf("homes of 10000 accounts %v; want about 1000 each", count)
	}
}
