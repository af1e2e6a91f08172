package queueing_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/queueing"
)

// proof is one of many.
func proof(n uint64, ends time.Time) (p queueing.Proof) {
	binary.BigEndian.PutUint64(p.ID[8:], n)
	binary.BigEndian.PutUint64(p.ID[:], n^0x0a000d00ff00) // bytes that a text may not have
	p.Ends = ends
	return p
}

func enterWith(t testing.TB, l *queueing.Line, p queueing.Proof) error {
	t.Helper()
	_, err := l.Enter(t.Context(), queueing.Entry{Proof: p})
	if err != nil && !errors.Is(err, queueing.ErrSpent) {
		t.Fatal(err)
	}
	return err
}

// A proof gives one number, at whichever edge and however many bring it at once.
func TestProofIsGoodForOneNumber(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := saleAt(s.now(), time.Hour, 100, 10)
		edges := []*queueing.Line{queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)}
		ends := s.now().Add(5 * time.Minute)
		const proofs, times = 50, 6
		var given [proofs]atomic.Int64
		var all sync.WaitGroup
		for i := range proofs * times {
			all.Go(func() {
				if enterWith(t, edges[i%2], proof(uint64(i/times), ends)) == nil {
					given[i/times].Add(1)
				}
			})
		}
		all.Wait()
		for i := range given {
			if n := given[i].Load(); n != 1 {
				t.Errorf("proof %d gave %d numbers", i, n)
			}
		}
		if snap := tick(t, edges[0]); snap.Entered != proofs {
			t.Errorf("%d entered, want %d", snap.Entered, proofs)
		}
	})
}

// Over its whole life, and from its end on, it is refused. Then what was remembered of
// it is given back, by those who enter or by the ticks alone.
func TestProofsEnd(t *testing.T) {
	t.Parallel()
	for _, entering := range []bool{true, false} {
		t.Run(fmt.Sprint("entering ", entering), func(t *testing.T) {
			t.Parallel()
			v := newVirtual(t)
			l := queueing.NewLine(v.rdb, saleAt(v.now, 100*time.Hour, 100, 10)).Hasten()
			used := proof(1, v.now.Add(5*time.Minute))
			if err := enterWith(t, l, used); err != nil {
				t.Fatal(err)
			}
			for i := range 2 * 60 {
				v.advance(10 * time.Second)
				if entering {
					if err := enterWith(t, l, used); err == nil {
						t.Fatalf("used again after %d s", 10*i)
					}
					if err := enterWith(t, l, proof(uint64(100+i), v.now.Add(time.Minute))); err != nil {
						t.Fatalf("another one: %v", err)
					}
				}
				tick(t, l)
			}
			n := int64(0)
			for _, gen := range []string{"0", "1"} {
				n += v.rdb.SCard(t.Context(), "wr:{line:golden-toy}:proofs:"+gen).Val()
			}
			if most := int64(2 * queueing.MaxProof / (10 * time.Second)); n > most || !entering && n != 0 {
				t.Errorf("%d proofs are remembered, at most %d, and none once nobody enters", n, most)
			}
		})
	}
}

// Not taken: one that has ended, and one that would be good for longer than it is
// remembered.
func TestProofsThatAreNotTaken(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	l := queueing.NewLine(v.rdb, saleAt(v.now, time.Hour, 100, 10)).Hasten()
	for i, c := range []struct {
		ends time.Duration
		want error
	}{
		{-time.Hour, queueing.ErrSpent}, {0, queueing.ErrSpent}, {time.Microsecond, nil},
		{queueing.MaxProof, nil}, {queueing.MaxProof + time.Microsecond, queueing.ErrSpent},
	} {
		if err := enterWith(t, l, proof(uint64(i), v.now.Add(c.ends))); !errors.Is(err, c.want) {
			t.Errorf("one that ends after %v: %v, want %v", c.ends, err, c.want)
		}
	}
	if n := enter(t, l, 1)[0]; n != 2 {
		t.Errorf("number %d, want 2: what is refused takes none", n)
	}
}

// Who gets no number keeps the proof: before the doors, while numbers are held after
// a loss, and where the account has its number already.
func TestProofIsSpentOnANumberAlone(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := saleAt(s.now(), time.Hour, 100, 10)
		p := proof(1, s.now().Add(4*time.Minute))
		early := *sale
		early.Doors = s.now().Add(time.Hour)
		if _, err := queueing.NewLine(s.rdb, &early).Enter(t.Context(), queueing.Entry{Proof: p}); !errors.Is(err, queueing.ErrNotOpen) {
			t.Errorf("before the doors: %v", err)
		}
		l := queueing.NewLine(s.rdb, sale)
		if _, err := enterAs(t, l, "anna"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if n, err := l.Enter(t.Context(), queueing.Entry{Account: "anna", Proof: p}); err != nil || n.Value != 0 || !n.Again {
				t.Errorf("anna: %+v, %v, want the number that she has", n, err)
			}
		}
		forget(t, s)
		ending := whileTicking(t, s, func() { tick(t, l) })
		if err := enterWith(t, l, p); err != nil {
			t.Errorf("the proof is spent: %v", err)
		}
		ending()
		if _, err := l.Enter(t.Context(), queueing.Entry{Account: "bert", Proof: p}); !errors.Is(err, queueing.ErrSpent) {
			t.Errorf("bert with a proof that was used: %v", err)
		}
		if n, err := enterAs(t, l, "bert"); err != nil || n == 0 {
			t.Errorf("bert without: number %d, %v", n, err)
		}
	})
}

// A clock that is put back does not lock the door, and a little of it lets nothing
// through twice.
func TestProofsWithAClockThatIsPutBack(t *testing.T) {
	t.Parallel()
	for _, back := range []time.Duration{time.Second, 10 * time.Minute, 24 * time.Hour} {
		v := newVirtual(t)
		// Just behind the beginning of a generation.
		v.at(v.now.Truncate(queueing.MaxProof).Add(queueing.MaxProof + 500*time.Millisecond))
		sale := saleAt(v.now, 100*time.Hour, 100, 10)
		sale.Doors = v.now.Add(-48 * time.Hour)
		l := queueing.NewLine(v.rdb, sale).Hasten()
		used := proof(1, v.now.Add(queueing.MaxProof))
		if err := enterWith(t, l, used); err != nil {
			t.Fatal(err)
		}
		v.advance(-back)
		if err := enterWith(t, l, proof(2, v.now.Add(5*time.Minute))); err != nil {
			t.Errorf("put back by %v: %v", back, err)
		}
		v.advance(back + time.Second)
		if err := enterWith(t, l, proof(3, v.now.Add(5*time.Minute))); err != nil {
			t.Errorf("set right after %v: %v", back, err)
		}
		if err := enterWith(t, l, used); back == time.Second && err == nil {
			t.Errorf("used again after the clock was put back by %v", back)
		}
	}
}

// What a proof costs Redis while it is remembered, and that nothing is kept of who
// has none.
func TestProofsCostRedisLittle(t *testing.T) {
	t.Parallel()
	rdb := client(t, testserver.Redis(t))
	l := queueing.NewRehearsal(rdb, saleAt(time.Now(), time.Hour, 100, 10), queueing.Seed{1})
	fill := func(proofs bool) (grown int64) {
		t.Helper()
		const people, each = 20_000, 500
		before := int64(0)
		if !proofs {
			if _, _, err := l.EnterAll(t.Context(), make([]queueing.Entry, 1)); err != nil {
				t.Fatal(err)
			}
			before = memory(t, rdb)
		} else {
			before = memory(t, rdb)
		}
		for first := 0; first < people; first += each {
			entries := make([]queueing.Entry, each)
			for i := range entries {
				if proofs {
					entries[i].Proof = proof(uint64(first+i), time.Now().Add(5*time.Minute))
				}
			}
			if _, errs, err := l.EnterAll(t.Context(), entries); errors.Join(append(errs, err)...) != nil {
				t.Fatal(errors.Join(append(errs, err)...))
			}
		}
		return (memory(t, rdb) - before) / people
	}
	if got := fill(false); got > 0 {
		t.Errorf("%d bytes for an entry without a proof", got)
	}
	if got := fill(true); got > 80 || got == 0 {
		t.Errorf("%d bytes for a proof, want at most 80", got)
	}
}
