package queueing_test

import (
	"errors"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

// roomOf is a room with a bucket of burst tokens.
func roomOf(perSecond, burst, most int) *configs.Room {
	return &configs.Room{
		ID: "shop", Key: "room:shop", Path: "/", Admit: configs.Rate{Count: perSecond, Per: time.Second}, Burst: burst,
		MaxActive: most, PassLife: 20 * time.Minute,
	}
}

func arrive(t testing.TB, r *queueing.Room) queueing.Arrival {
	t.Helper()
	a, err := r.Arrive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func tickRoom(t testing.TB, r *queueing.Room) *queueing.Snapshot {
	t.Helper()
	s, err := r.Tick(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fill lets the bucket fill up.
func fill(t testing.TB, s store, r *queueing.Room) {
	t.Helper()
	tickRoom(t, r)
	s.wait(1100 * time.Millisecond)
	tickRoom(t, r)
}

// Below the level nobody waits; above it everyone who comes stands behind those
// who do, and the line goes away by itself.
func TestRoomArmsAndDisarms(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		const burst = 5
		r := queueing.NewRoom(s.rdb, roomOf(20, burst, 0))
		fill(t, s, r)
		var waiting []uint64
		for i := range uint64(2 * burst) {
			a := arrive(t, r)
			if a.Number != i {
				t.Fatalf("number %d, want %d", a.Number, i)
			}
			if !a.Admitted {
				waiting = append(waiting, a.Number)
			} else if len(waiting) > 0 {
				t.Errorf("%d overtook %v", a.Number, waiting)
			} else if life := a.Claim.Expires.Sub(a.Claim.Admitted); life != 20*time.Minute {
				t.Errorf("a pass of %v", life)
			}
		}
		if len(waiting) == 0 {
			t.Fatal("nobody waits")
		}
		if snap := tickRoom(t, r); !snap.Armed || snap.State != queueing.StateOpen || !snap.Drawn || snap.DrawnCount != 0 {
			t.Errorf("the picture of a line: %+v", snap)
		}
		for range 100 {
			s.wait(50 * time.Millisecond)
			snap := tickRoom(t, r)
			for len(waiting) > 0 && waiting[0] < snap.Head {
				_, err := r.Claim(t.Context(), waiting[0])
				if _, wait := errors.AsType[*queueing.WaitError](err); wait {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				waiting = waiting[1:]
			}
			if !snap.Armed {
				break
			}
		}
		if len(waiting) > 0 || tickRoom(t, r).Armed {
			t.Errorf("%v wait, armed %v", waiting, tickRoom(t, r).Armed)
		}
		if a := arrive(t, r); !a.Admitted {
			t.Error("a newcomer waits in a room that is not armed")
		}
	})
}
