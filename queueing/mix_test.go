package queueing_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

const value = "9d1e0dc1b2c7 \"round\" ☘"

// mixedSale is a sale whose draw waits for a public value.
func mixedSale(now time.Time, untilOpen time.Duration) *configs.Sale {
	sale := saleAt(now, untilOpen, 100, 10)
	sale.Mix = "drand round 5213377"
	return sale
}

func mix(t testing.TB, l *queueing.Line, value string) {
	t.Helper()
	if err := l.Mix(t.Context(), value); err != nil {
		t.Fatal(err)
	}
}

// The lottery closes at the opening, and nothing else happens before the value is
// there: no seed, no head, no pass. People still enter, behind the draw.
func TestDrawWaitsForItsValue(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := mixedSale(s.now(), time.Second)
		a, b := queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)
		early := append(enter(t, a, 10), enter(t, b, 10)...)
		if snap := tick(t, a); snap.Counted || snap.Overdue() || snap.Mix != sale.Mix {
			t.Errorf("before opening: counted %v, overdue %v, mix %q", snap.Counted, snap.Overdue(), snap.Mix)
		}
		s.wait(1050 * time.Millisecond)
		late := enter(t, b, 3)
		for range 2 {
			for _, l := range []*queueing.Line{a, b} {
				snap := tick(t, l)
				if snap.State != queueing.StateDoors || !snap.Counted || snap.DrawnCount != uint64(len(early)) || !snap.Overdue() {
					t.Fatalf("waiting: state %s, counted %v among %d, overdue %v", snap.State, snap.Counted, snap.DrawnCount, snap.Overdue())
				}
				if snap.Drawn || snap.Seed != nil || snap.Draw != nil || snap.Head != 0 {
					t.Fatalf("waiting: drawn %v, seed shown %v, head %d", snap.Drawn, snap.Seed != nil, snap.Head)
				}
				st := snap.Standing(numbered(0))
				if st.State != queueing.StandingLottery || snap.PollAfter(st, 0) < time.Second {
					t.Errorf("waiting: %s, asks again after %v", st.State, snap.PollAfter(st, 0))
				}
				if _, err := l.Claim(t.Context(), at(0)); !errors.Is(err, queueing.ErrNotOpen) {
					t.Errorf("claim: %v, want ErrNotOpen", err)
				}
				if _, err := l.Claim(t.Context(), invited(0)); !errors.Is(err, queueing.ErrNotOpen) {
					t.Errorf("claim of an invitation: %v, want ErrNotOpen", err)
				}
			}
			s.wait(200 * time.Millisecond)
		}
		mix(t, a, value)
		snap := tick(t, b)
		if snap.State != queueing.StateOpen || !snap.Drawn || snap.Overdue() || snap.DrawnCount != uint64(len(early)) || snap.Mixed != value {
			t.Fatalf("mixed: state %s, drawn %v among %d, value %q", snap.State, snap.Drawn, snap.DrawnCount, snap.Mixed)
		}
		if want := queueing.NewDraw(*snap.Seed, sale.Key, uint64(len(early)), value); *snap.Draw != want {
			t.Error("the draw is not that of seed, count and value")
		}
		if place, ok := snap.Place(numbered(late[0])); !ok || place != late[0] {
			t.Errorf("number %d has place %d, want it behind the draw", late[0], place)
		}
		// The time that was waited fills no bucket.
		if _, err := b.Claim(t.Context(), at(0)); err == nil {
			t.Error("a pass from a bucket that has just begun to fill")
		}
		s.wait(200 * time.Millisecond)
		if snap := tick(t, a); snap.Head < 5 {
			t.Errorf("head %d after 0.2 s at 100/s", snap.Head)
		}
		if _, err := b.Claim(t.Context(), at(0)); err != nil {
			t.Error(err)
		}
	})
}

// A value that is known before the opening delays nothing.
func TestValueGivenEarly(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := mixedSale(s.now(), time.Second)
		l := queueing.NewLine(s.rdb, sale)
		enter(t, l, 5)
		mix(t, l, value)
		if snap := tick(t, l); snap.Mixed != value || snap.Drawn || snap.Seed != nil {
			t.Errorf("before opening: value %q, drawn %v, seed shown %v", snap.Mixed, snap.Drawn, snap.Seed != nil)
		}
		s.wait(1050 * time.Millisecond)
		if snap := tick(t, l); !snap.Drawn || snap.State != queueing.StateOpen || snap.Overdue() {
			t.Errorf("drawn %v, state %s", snap.Drawn, snap.State)
		}
	})
}

func TestFirstValueHolds(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := mixedSale(s.now(), time.Hour)
		a, b := queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)
		longest := strings.Repeat("ü", queueing.MaxMix/2)
		for _, wrong := range []string{"", longest + "x", "\xff", " 7", "7 ", "7\n", "\u00a07", "7\u2003", "1\t2", "1\x002", "1\r\n2", "1\u00852", "\x1b[2J", "\ufeff7", "1\u200b2", "1\u20282"} {
			if err := a.Mix(t.Context(), wrong); !errors.Is(err, queueing.ErrMixValue) {
				t.Errorf("value %q: %v, want ErrMixValue", wrong, err)
			}
		}
		mix(t, a, longest)
		mix(t, b, longest)
		for _, l := range []*queueing.Line{a, b} {
			if err := l.Mix(t.Context(), value); !errors.Is(err, queueing.ErrMixed) {
				t.Errorf("another value: %v, want ErrMixed", err)
			}
			if snap := tick(t, l); snap.Mixed != longest {
				t.Errorf("value %q, want the first", snap.Mixed)
			}
		}

		scheduled := mixedSale(s.now(), 2*time.Hour)
		scheduled.Key, scheduled.Doors = "scheduled", s.now().Add(time.Hour)
		if err := queueing.NewLine(s.rdb, scheduled).Mix(t.Context(), value); !errors.Is(err, queueing.ErrNotOpen) {
			t.Errorf("before the doors: %v, want ErrNotOpen", err)
		}
		plain := saleAt(s.now(), time.Hour, 100, 10)
		if err := queueing.NewLine(s.rdb, plain).Mix(t.Context(), value); !errors.Is(err, queueing.ErrNoMix) {
			t.Errorf("a sale that names none: %v, want ErrNoMix", err)
		}
	})
}

// A sale that ends without its value has no draw; one that comes afterwards still
// shows everybody what it would have been.
func TestSaleEndsWithoutItsValue(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := mixedSale(s.now(), 200*time.Millisecond)
		sale.Closes = s.now().Add(400 * time.Millisecond)
		l := queueing.NewLine(s.rdb, sale)
		enter(t, l, 5)
		s.wait(450 * time.Millisecond)
		snap := tick(t, l)
		if snap.State != queueing.StateEnded || snap.Drawn || snap.Seed != nil || snap.Overdue() {
			t.Errorf("state %s, drawn %v, seed shown %v, overdue %v", snap.State, snap.Drawn, snap.Seed != nil, snap.Overdue())
		}
		if _, err := l.Claim(t.Context(), at(0)); !errors.Is(err, queueing.ErrEnded) {
			t.Errorf("claim: %v, want ErrEnded", err)
		}
		mix(t, l, value)
		if snap := tick(t, l); snap.State != queueing.StateEnded || !snap.Drawn || snap.Seed == nil {
			t.Errorf("with the value: state %s, drawn %v, seed shown %v", snap.State, snap.Drawn, snap.Seed != nil)
		}
	})
}

// Edges put back a value that Redis forgot, also one that was given a moment ago,
// and nobody can give another one in between.
func TestEdgesRestoreTheValue(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := mixedSale(s.now(), 200*time.Millisecond)
		a, b := queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)
		enter(t, a, 20)
		tick(t, b)
		forget := func() {
			if err := s.rdb.FlushAll(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
		}
		mix(t, a, value)
		if err := s.rdb.HSet(t.Context(), "wr:{line:"+sale.Key+"}", "seed", "torn").Err(); err != nil {
			t.Fatal(err)
		}
		if snap := tick(t, b); snap.Mixed != value {
			t.Errorf("beside a torn seed the value is %q", snap.Mixed)
		}
		forget()
		if err := a.Mix(t.Context(), "another"); !errors.Is(err, queueing.ErrMixed) {
			t.Errorf("another value after Redis forgot: %v, want ErrMixed", err)
		}
		s.wait(250 * time.Millisecond)
		before := tick(t, b)
		if before.Mixed != value || !before.Drawn {
			t.Fatalf("value %q, drawn %v", before.Mixed, before.Drawn)
		}
		forget()
		s.wait(time.Millisecond)
		fresh := queueing.NewLine(s.rdb, sale) // an edge that knows nothing asks first
		if snap := tick(t, fresh); snap.Drawn {
			t.Error("a line of its own is drawn without a value")
		}
		mix(t, fresh, "of a line that nobody knows")
		if after := tick(t, b); after.Mixed != value || after.Line != before.Line || *after.Draw != *before.Draw {
			t.Errorf("value %q, line %s; want %q, %s and the same draw", after.Mixed, after.Line, value, before.Line)
		}
		if snap := tick(t, fresh); snap.Mixed != value || *snap.Draw != *before.Draw {
			t.Errorf("the fresh edge sees value %q", snap.Mixed)
		}
		forget()
		if snap := tick(t, fresh); snap.Mixed != value || *snap.Draw != *before.Draw {
			t.Errorf("the fresh edge put back %q", snap.Mixed)
		}

		// A copy from before the value was given.
		if err := s.rdb.HDel(t.Context(), "wr:{line:"+sale.Key+"}", "mixed").Err(); err != nil {
			t.Fatal(err)
		}
		if snap := tick(t, a); snap.Mixed != value || *snap.Draw != *before.Draw {
			t.Errorf("an older copy keeps %q", snap.Mixed)
		}
	})
}
