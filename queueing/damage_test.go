package queueing_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

// odd is what a damaged field may hold.
var odd = []string{"12.5", "1e17", "inf", "-inf", "nan", "-1", "x"}

// counts, flags and levels are the fields of a line's hash that hold a number.
var (
	counts = []string{
		"born", "entered", "behind", "proofs", "resumes", "drawn", "drawnat", "mixedat", "moved", "refilled", "gen", "passes", "edition",
		"turn", "skipto", "left",
	}
	flags  = []string{"paused", "armed"}
	levels = []string{
		"head", "lead", "waiting", "denied", "tokens", "lost", "pace", "rate", "burst", "offered", "flow", "skip",
	}
)

// eachDamage runs a test for each field with what it may not hold.
func eachDamage(t *testing.T, test func(t *testing.T, field string, values []string)) {
	t.Helper()
	for _, field := range slices.Concat(counts, flags, levels) {
		values := odd
		switch {
		case slices.Contains(flags, field):
			values = append([]string{"2"}, odd...)
		case slices.Contains(levels, field):
			values = odd[1:] // they need not be whole
		}
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			test(t, field, values)
		})
	}
}

// Whatever one field of a line holds, the line goes on by itself where an edge
// remembers it: the same draw, numbers that are new, places that are called and get
// their passes, and never more passes than the bound.
func TestLineOutlivesADamagedField(t *testing.T) {
	t.Parallel()
	eachDamage(t, func(t *testing.T, field string, values []string) {
		v := newVirtual(t)
		sale := saleAt(v.now, time.Second, damagedRate, damagedBurst)
		l := queueing.NewRehearsal(v.rdb, sale, queueing.Seed{1})
		if _, _, err := l.EnterAll(t.Context(), make([]queueing.Entry, 400)); err != nil {
			t.Fatal(err)
		}
		last := uint64(399)
		v.advance(time.Second)
		before := tick(t, l.Line)
		first := before
		place := uint64(0)
		for _, value := range values {
			damage(t, v, sale.Key, field, value)
			snap := goesOn(t, v, func() *queueing.Snapshot { return tick(t, l.Line) })
			if !snap.Drawn || *snap.Draw != *first.Draw || snap.Line != first.Line || snap.Head <= before.Head {
				t.Errorf("%q: line %s, drawn %d, head %d; want %s, %d and beyond %d",
					value, snap.Line, snap.DrawnCount, snap.Head, first.Line, first.DrawnCount, before.Head)
			}
			before = snap
			number := enter(t, l.Line, 1)[0]
			if number <= last {
				t.Errorf("%q: number %d given after %d", value, number, last)
			}
			last = number
			checkPasses(t, v, value, func() { tick(t, l.Line) }, func() bool {
				_, err := l.Claim(t.Context(), at(place))
				if _, wait := errors.AsType[*queueing.WaitError](err); err != nil && !wait && !errors.Is(err, queueing.ErrNotCalled) {
					t.Fatalf("%q: %v", value, err)
				}
				if err == nil {
					place++
				}
				return err == nil
			})
		}
	})
}

// Where passes are matched to units there is a unit for each, whatever is damaged, and
// somebody is let in again.
func TestUnitsOutliveADamagedField(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"passes", "spent", "units", "known", "astray", "found", "offered", "resumes", "drawn", "head"} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, 1, 6, 2)
			enter(t, s.edges[0].line, 400)
			s.v.at(s.sale.Opens)
			place := uint64(0)
			for _, value := range []string{"12.5", "nan", "-1", "x"} {
				for range 30 {
					s.turn(s.someone())
					s.v.advance(3 * time.Second)
					for range 4 {
						if s.claim(s.someone(), place) {
							place++
						}
					}
					for held := range s.passes {
						if s.rng.IntN(3) == 0 && s.v.now.Before(s.passes[held]) {
							s.buy(held)
							s.left++ // and its hold lapses at once
						}
						break
					}
					s.tell()
				}
				damage(t, s.v, s.sale.Key, field, value)
				for _, e := range s.edges {
					s.turn(e)
				}
			}
			if place < 10 {
				t.Errorf("%d were let in", place)
			}
		})
	}
}

// So does a room, and calls those who come.
func TestRoomOutlivesADamagedField(t *testing.T) {
	t.Parallel()
	eachDamage(t, func(t *testing.T, field string, values []string) {
		v := newVirtual(t)
		room := roomOf(damagedRate, damagedBurst, 1000)
		r := queueing.NewRoom(v.rdb, room)
		fill(t, store{rdb: v.rdb, wait: v.advance}, r)
		last := arrive(t, r)
		var waiting []queueing.Arrival
		before := tickRoom(t, r)
		for _, value := range values {
			damage(t, v, room.Key, field, value)
			snap := goesOn(t, v, func() *queueing.Snapshot { return tickRoom(t, r) })
			if snap.Line != before.Line || snap.Head < before.Head {
				t.Errorf("%q: line %s, head %d; want %s and %d", value, snap.Line, snap.Head, before.Line, before.Head)
			}
			before = snap
			checkPasses(t, v, value, func() { tickRoom(t, r) }, func() bool {
				if len(waiting) == 0 {
					a := arrive(t, r)
					if a.Number <= last.Number {
						t.Fatalf("%q: number %d given after %d", value, a.Number, last.Number)
					}
					if last = a; !a.Admitted {
						waiting = append(waiting, a)
					}
					return a.Admitted
				}
				_, err := r.Claim(t.Context(), waiting[0].Number, waiting[0].ID)
				if err == nil {
					waiting = waiting[1:]
				}
				return err == nil
			})
		}
	})
}

const damagedRate, damagedBurst = 10, 2

func damage(t *testing.T, v *virtual, key, field, value string) {
	t.Helper()
	if err := v.rdb.HSet(t.Context(), "wr:{line:"+key+"}", field, value).Err(); err != nil {
		t.Fatal(err)
	}
}

// goesOn lets the line tick for a while, longer than it gives no numbers.
func goesOn(t *testing.T, v *virtual, tick func() *queueing.Snapshot) (last *queueing.Snapshot) {
	t.Helper()
	for range 5 {
		last = tick()
		v.advance(100 * time.Millisecond)
	}
	if st := last.Standing(numbered(last.Head + 100)); last.State != queueing.StateOpen || st.Low < 0 || st.High < st.Low {
		t.Errorf("state %s, a wait of %v to %v", last.State, st.Low, st.High)
	}
	return last
}

// checkPasses asks for all the passes there are for a second: some, and no more than
// the bound.
func checkPasses(t *testing.T, v *virtual, value string, tick func(), one func() bool) {
	t.Helper()
	got := 0
	for range 5 {
		tick()
		for one() {
			got++
		}
		v.advance(200 * time.Millisecond)
	}
	if most := damagedRate + damagedBurst; got > most || got == 0 {
		t.Errorf("%q: %d passes in a second, at most %d", value, got, most)
	}
}

// What an operator has set is put back as a whole, if a part of it is damaged.
func TestDamagedActionsArePutBack(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"edition", "paused", "rate", "burst"} {
		v := newVirtual(t)
		sale := saleAt(v.now, 0, 100, 10)
		l := queueing.NewLine(v.rdb, sale)
		if err := errors.Join(l.SetRate(t.Context(), configs.Rate{Count: 3, Per: time.Second}), l.Pause(t.Context())); err != nil {
			t.Fatal(err)
		}
		tick(t, l)
		damage(t, v, sale.Key, field, "nan")
		if snap := tick(t, l); snap.Rate != 3 || snap.State != queueing.StatePaused {
			t.Errorf("%s damaged: rate %v, state %s, want what was set", field, snap.Rate, snap.State)
		}
	}
}
