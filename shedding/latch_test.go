package shedding_test

import (
	"sync"
	"testing"

	"github.com/waitroom/waitroom/shedding"
)

// mark is like the gate's: a rebuild raises epoch and counts moves from 0 again.
type mark struct{ epoch, moves uint64 }

func (m mark) Before(n mark) bool {
	return m.epoch < n.epoch || m.epoch == n.epoch && m.moves < n.moves
}

func TestLatch(t *testing.T) {
	t.Parallel()
	at := func(epoch, moves uint64) mark { return mark{epoch, moves} }
	type step struct {
		refused bool
		left    int
		mark    mark
	}
	refused := func(m mark) step { return step{refused: true, mark: m} }
	look := func(left int, m mark) step { return step{left: left, mark: m} }

	for _, test := range []struct {
		name  string
		steps []step
		want  bool
	}{
		{"nothing heard", nil, false},
		{"refused", []step{refused(at(1, 5))}, true},
		{"refused at the first mark of all", []step{refused(at(0, 0))}, true},
		{"a look that found none", []step{look(0, at(1, 5))}, true},
		{"a look that found some", []step{look(3, at(1, 5))}, false},
		{"a newer look reopens", []step{refused(at(1, 5)), look(1, at(1, 6))}, false},
		{"an older look does not reopen", []step{refused(at(1, 5)), look(1, at(1, 4))}, true},
		{"two were wanted and one is left", []step{refused(at(1, 5)), look(1, at(1, 5))}, false},
		{"one is left and two were wanted", []step{look(1, at(1, 5)), refused(at(1, 5))}, false},
		{"the same refusal twice", []step{refused(at(1, 5)), refused(at(1, 5))}, true},
		{"a refusal older than the look does not close", []step{look(1, at(1, 6)), refused(at(1, 5))}, false},
		{"a refusal moves the mark of an earlier refusal", []step{refused(at(1, 5)), refused(at(1, 9)), look(1, at(1, 7))}, true},
		{"an old refusal does not move the mark back", []step{refused(at(1, 9)), refused(at(1, 5)), look(1, at(1, 7))}, true},
		{"a rebuilt gate counts from 0 and reopens", []step{refused(at(1, 900)), look(1, at(2, 0))}, false},
		{"a rebuilt gate's refusal stands against the old epoch", []step{refused(at(2, 0)), look(1, at(1, 900))}, true},
		{"closed, open, closed", []step{refused(at(1, 5)), look(1, at(1, 6)), refused(at(1, 7))}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var latch shedding.Latch[mark]
			for _, s := range test.steps {
				if s.refused {
					latch.Refused(s.mark)
				} else {
					latch.Observe(s.left, s.mark)
				}
			}
			if got := latch.SoldOut(); got != test.want {
				t.Errorf("SoldOut() = %t, want %t", got, test.want)
			}
		})
	}
}

// Whatever the order in which answers arrive, the newest decides.
func TestLatchInAnyOrder(t *testing.T) {
	t.Parallel()
	const answers = 1000
	for _, newest := range []int{0, 1} {
		var latch shedding.Latch[mark]
		var wg sync.WaitGroup
		for worker := range 8 {
			wg.Go(func() {
				for i := worker; i < answers; i += 8 {
					left := (i + newest + 1) % 2
					latch.Observe(left, mark{1, uint64(i)})
					latch.SoldOut()
				}
			})
		}
		wg.Wait()
		if got, want := latch.SoldOut(), newest == 0; got != want {
			t.Errorf("SoldOut() = %t after a newest look that found %d, want %t", got, newest, want)
		}
	}
}

func BenchmarkLatchSoldOut(b *testing.B) {
	var latch shedding.Latch[mark]
	latch.Refused(mark{1, 0})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if !latch.SoldOut() {
				b.Error("the latch is open")
			}
		}
	})
}
