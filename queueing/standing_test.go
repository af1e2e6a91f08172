package queueing_test

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/queueing"
)

// snapshot is a line of 1,000 that was drawn a minute ago, at 10/s.
func snapshot(change func(s *queueing.Snapshot)) *queueing.Snapshot {
	opens := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	draw := queueing.NewDraw(queueing.Seed{}, "golden-toy", 0, "") // everyone came after it
	s := &queueing.Snapshot{
		Sale: "golden-toy", State: queueing.StateOpen, Now: opens.Add(time.Minute),
		Doors: opens.Add(-time.Hour), Opens: opens, Closes: opens.Add(time.Hour),
		Entered: 1000, Head: 600, Drawn: true, Draw: &draw, Rate: 10,
	}
	change(s)
	return s
}

// overdue makes it a line of which 800 are in a draw that waits for its value.
func overdue(s *queueing.Snapshot) {
	s.State, s.Drawn, s.Draw, s.Head = queueing.StateDoors, false, nil, 0
	s.Counted, s.DrawnCount, s.Mix = true, 800, "drand round 5213377"
}

func TestStanding(t *testing.T) {
	t.Parallel()
	undrawn := func(s *queueing.Snapshot) {
		s.State, s.Drawn, s.Draw, s.Head, s.Now = queueing.StateDoors, false, nil, 0, s.Opens.Add(-time.Minute)
	}
	for _, c := range []struct {
		name   string
		change func(*queueing.Snapshot)
		number uint64
		want   queueing.Standing
	}{
		{"scheduled", func(s *queueing.Snapshot) { undrawn(s); s.State = queueing.StateScheduled }, 5,
			queueing.Standing{State: queueing.StandingNone}},
		{"lottery", undrawn, 5,
			queueing.Standing{State: queueing.StandingLottery, Low: time.Minute, High: time.Minute + 100*time.Second}},
		{"in a draw that waits for its value", overdue, 799,
			queueing.Standing{State: queueing.StandingLottery, High: 100 * time.Second}},
		{"behind a draw that waits for its value", overdue, 800,
			queueing.Standing{State: queueing.StandingWaiting, Place: 800, Ahead: 800, Drawn: true}},
		{"behind such a draw, paused", func(s *queueing.Snapshot) { overdue(s); s.State = queueing.StatePaused }, 800,
			queueing.Standing{State: queueing.StandingPaused, Place: 800, Ahead: 800, Drawn: true}},
		{"as fast as of late", func(s *queueing.Snapshot) { s.Flow = 3 }, 900,
			queueing.Standing{State: queueing.StandingWaiting, Place: 900, Ahead: 300, Drawn: true, Low: 75 * time.Second, High: 150*time.Second + 500*time.Millisecond}},
		{"slower than of late, since the rate was cut", func(s *queueing.Snapshot) { s.Flow, s.Rate = 4, 1.0/60 }, 607,
			queueing.Standing{State: queueing.StandingWaiting, Place: 607, Ahead: 7, Drawn: true, Low: 7 * time.Minute, High: 8 * time.Minute}},
		{"with a unit for each who is ahead", func(s *queueing.Snapshot) { s.Matched, s.Free = true, 8 }, 607,
			queueing.Standing{State: queueing.StandingWaiting, Place: 607, Ahead: 7, Drawn: true, Low: 700 * time.Millisecond, High: 800 * time.Millisecond}},
		{"until somebody lets a pass end", func(s *queueing.Snapshot) { s.Matched, s.Free = true, 7 }, 607,
			queueing.Standing{State: queueing.StandingWaiting, Place: 607, Ahead: 7, Drawn: true, Low: 700 * time.Millisecond}},
		{"called", func(*queueing.Snapshot) {}, 599,
			queueing.Standing{State: queueing.StandingCalled, Place: 599, Drawn: true}},
		{"next", func(*queueing.Snapshot) {}, 600,
			queueing.Standing{State: queueing.StandingWaiting, Place: 600, Drawn: true, High: 100 * time.Millisecond}},
		{"waiting", func(*queueing.Snapshot) {}, 900,
			queueing.Standing{State: queueing.StandingWaiting, Place: 900, Ahead: 300, Drawn: true, Low: 30 * time.Second, High: 30100 * time.Millisecond}},
		{"beyond closing", func(s *queueing.Snapshot) { s.Rate = 0.01 }, 900,
			queueing.Standing{State: queueing.StandingWaiting, Place: 900, Ahead: 300, Drawn: true, Low: 59 * time.Minute, High: 59 * time.Minute}},
		{"paused", func(s *queueing.Snapshot) { s.State = queueing.StatePaused }, 700,
			queueing.Standing{State: queueing.StandingPaused, Place: 700, Ahead: 100, Drawn: true}},
		{"ended", func(s *queueing.Snapshot) { s.State = queueing.StateEnded }, 700,
			queueing.Standing{State: queueing.StandingEnded, Place: 700, Ahead: 100, Drawn: true}},
	} {
		if got := snapshot(c.change).Standing(numbered(c.number)); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Places, and with them standings, follow the draw for those who took part.
func TestSnapshotPlace(t *testing.T) {
	t.Parallel()
	d := queueing.NewDraw(queueing.Seed{9}, "golden-toy", 800, "")
	s := snapshot(func(s *queueing.Snapshot) { s.Draw = &d })
	for _, number := range []uint64{0, 1, 799, 800, 1500} {
		if got, ok := s.Place(numbered(number)); !ok || got != d.Place(number) {
			t.Errorf("Place(%d) = %d, %v, want %d", number, got, ok, d.Place(number))
		}
	}
	s.Drawn, s.Draw = false, nil
	if _, ok := s.Place(numbered(0)); ok {
		t.Error("a place before the draw")
	}
}

func TestPollAfter(t *testing.T) {
	t.Parallel()
	before := func(d time.Duration, entered uint64) func(*queueing.Snapshot) {
		return func(s *queueing.Snapshot) {
			s.State, s.Now, s.Entered = queueing.StateDoors, s.Opens.Add(-d), entered
		}
	}
	same := func(*queueing.Snapshot) {}
	standing := func(state queueing.StandingState, low time.Duration) queueing.Standing {
		return queueing.Standing{State: state, Low: low}
	}
	const s, ms = time.Second, time.Millisecond
	for _, c := range []struct {
		name        string
		change      func(*queueing.Snapshot)
		standing    queueing.Standing
		least, most time.Duration
	}{
		{"long before the draw", before(time.Hour, 10), standing(queueing.StandingLottery, 0), 20 * s, 30 * s},
		{"few before the draw", before(5*s, 10), standing(queueing.StandingLottery, 0), 5 * s, 6 * s},
		{"many before the draw", before(5*s, 30_000), standing(queueing.StandingLottery, 0), 5 * s, 15 * s},
		{"a million before the draw", before(5*s, 1_000_000), standing(queueing.StandingLottery, 0), 5 * s, 30 * s},
		{"near", same, standing(queueing.StandingWaiting, 0), 800 * ms, 1200 * ms},
		{"a minute away", same, standing(queueing.StandingWaiting, time.Minute), 12 * s, 18 * s},
		{"far", same, standing(queueing.StandingWaiting, time.Hour), 20 * s, 30 * s},
		{"behind a draw that waits for its value", overdue, standing(queueing.StandingWaiting, 0), s, 2 * s},
		{"called", same, standing(queueing.StandingCalled, 0), 800 * ms, 1200 * ms},
		{"ended", same, standing(queueing.StandingEnded, 0), 20 * s, 30 * s},
	} {
		snap := snapshot(c.change)
		if got := snap.PollAfter(c.standing, 0); got != c.least {
			t.Errorf("%s: at the soonest %v, want %v", c.name, got, c.least)
		}
		if got := snap.PollAfter(c.standing, 0.999999999); got > c.most || got < c.most-ms {
			t.Errorf("%s: at the latest %v, want %v", c.name, got, c.most)
		}
	}
}
