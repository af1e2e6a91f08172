package listen

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// of is the n-th address.
func of(n int) netip.Prefix {
	return block(netip.AddrFrom4([4]byte{192, 0, byte(n >> 8), byte(n)}))
}

// TestDesk_WhoseTurn: seats go in turn to the newest whose address has nothing else here,
// and to the one that waits longest.
func TestDesk_WhoseTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(1)
		if waited, no := d.sit(t.Context(), of(0)); waited || no != nil {
			t.Fatalf("the first: waited %v, %v, want a seat at once", waited, no)
		}
		var mu sync.Mutex
		var got []int
		// 0 comes three more times, then two others, of whom 2 comes twice.
		for n, from := range []int{0, 0, 0, 1, 2, 2} {
			go func() {
				if waited, no := d.sit(t.Context(), of(from)); !waited || no != nil {
					t.Errorf("number %d: waited %v, %v, want a seat after a while", n, waited, no)
				}
				mu.Lock()
				got = append(got, n)
				mu.Unlock()
			}()
			synctest.Wait()
		}
		if d.waiting() != 6 {
			t.Errorf("%d wait, want 6", d.waiting())
		}
		for _, from := range []int{0, 2, 0, 1, 0, 0, 2} { // whoever has it
			d.rise(of(from))
			synctest.Wait()
		}
		want := []int{4, 0, 3, 1, 2, 5} // newest, longest, newest, longest, and nobody is alone any more
		if !slices.Equal(got, want) {
			t.Errorf("seats went to %v, want %v", got, want)
		}
		if d.free != 1 || len(d.at) != 0 {
			t.Errorf("%d seats are free, %d addresses known, want 1 and none", d.free, len(d.at))
		}
	})
}

// TestDesk_NoSeat: who waits too long gets none, and where too many wait the one that
// has waited longest; nothing is left of them.
func TestDesk_NoSeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(1)
		_, _ = d.sit(t.Context(), of(0))
		var crowded, late atomic.Int64
		begun := time.Now()
		for n := range mostWaiting + 10 {
			go func() {
				switch _, no := d.sit(t.Context(), of(n)); {
				case no == tooManyWait && time.Since(begun) == 0:
					crowded.Add(1)
				case no == tooLate && time.Since(begun) == seatWait:
					late.Add(1)
				default:
					t.Errorf("number %d: got %v after %v", n, no, time.Since(begun))
				}
			}()
			if n%512 == 0 {
				synctest.Wait()
			}
		}
		synctest.Wait()
		if d.waiting() != mostWaiting || crowded.Load() != 10 {
			t.Errorf("%d wait, %d are sent away, want %d and 10", d.waiting(), crowded.Load(), mostWaiting)
		}
		time.Sleep(seatWait)
		synctest.Wait()
		if late.Load() != mostWaiting || d.waiting() != 0 || d.alone.Len() != 0 {
			t.Errorf("%d are late, %d wait, want all and nobody", late.Load(), d.waiting())
		}
		d.rise(of(0))
		if d.free != 1 || len(d.at) != 0 {
			t.Errorf("%d seats are free, %d addresses known, want 1 and none", d.free, len(d.at))
		}
	})
}

// TestDesk_Seats: there are never more at work than there are seats, whoever comes and
// goes.
func TestDesk_Seats(t *testing.T) {
	t.Parallel()
	const seats = 3
	d := newDesk(seats)
	var working atomic.Int64
	var all sync.WaitGroup
	for n := range 64 {
		all.Go(func() {
			for i := range 300 {
				from := of(n % (i%7 + 1))
				if _, no := d.sit(t.Context(), from); no != nil {
					t.Errorf("got %v, want a seat", no)
					return
				}
				if now := working.Add(1); now > seats {
					t.Errorf("%d are at work, want %d at most", now, seats)
				}
				working.Add(-1)
				d.rise(from)
			}
		})
	}
	all.Wait()
	if d.free != seats || len(d.at) != 0 || d.waiting() != 0 {
		t.Errorf("%d seats are free, %d addresses known, %d wait; want all, none, nobody", d.free, len(d.at), d.waiting())
	}
}

// TestDesk_Over: who waits for a seat waits no longer than for what it is wanted, and
// nothing is left of them.
func TestDesk_Over(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(1)
		_, _ = d.sit(t.Context(), of(0))
		ctx, cancel := context.WithCancelCause(t.Context())
		over := errors.New("over")
		began := time.Now()
		go func() { time.Sleep(time.Second); cancel(over) }()
		if waited, err := d.sit(ctx, of(1)); !waited || !errors.Is(err, over) || time.Since(began) != time.Second {
			t.Errorf("waited %v, %v, for %v; want the end of what it was for after 1s", waited, err, time.Since(began))
		}
		if d.waiting() != 0 || d.alone.Len() != 0 {
			t.Errorf("%d wait, want nobody", d.waiting())
		}
		d.rise(of(0))
		if d.free != 1 || len(d.at) != 0 {
			t.Errorf("%d seats are free, %d addresses known, want 1 and none", d.free, len(d.at))
		}
	})
}
