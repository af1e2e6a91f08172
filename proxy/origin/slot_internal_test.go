package origin

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// TestPlace: a request waits so long for a place, or takes one that is let go.
func TestPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		full := &server{slots: make(chan struct{}, 1)}
		full.slots <- struct{}{}
		begun := time.Now()
		if _, _, err := takeSlot(t.Context(), []*server{full}); !errors.Is(err, ErrBusy) || time.Since(begun) != slotWait {
			t.Errorf("got %v after %v, want %v after %v", err, time.Since(begun), ErrBusy, slotWait)
		}
		time.AfterFunc(time.Second, slot(full.slots).leave)
		if s, _, err := takeSlot(t.Context(), []*server{full}); err != nil || s != full {
			t.Errorf("got %v, want the place that was let go", err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		left := errors.New("left")
		time.AfterFunc(time.Second, func() { cancel(left) })
		if _, _, err := takeSlot(ctx, []*server{full}); !errors.Is(err, left) {
			t.Errorf("got %v, want %v", err, left)
		}
		free := &server{slots: make(chan struct{}, 1)}
		if s, _, _ := takeSlot(t.Context(), []*server{full, free}); s != free {
			t.Error("it waits at a full server beside a free one")
		}
	})
}

// TestFirst: who comes first finds a slot where others have to wait, and is asked about
// only then.
func TestFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{slots: make(chan struct{}, 1), first: make(chan struct{}, 1)}
		never := First(t.Context(), func() bool { t.Error("asked"); return true })
		if _, at, err := takeSlot(never, []*server{s}); err != nil || at != s.slots {
			t.Errorf("with a slot for anybody: got %v", err)
		}
		no := First(t.Context(), func() bool { return false })
		for _, ctx := range []context.Context{t.Context(), no} {
			if _, _, err := takeSlot(ctx, []*server{s}); !errors.Is(err, ErrBusy) {
				t.Errorf("who does not come first: got %v, want %v", err, ErrBusy)
			}
		}
		yes := First(t.Context(), func() bool { return true })
		begun := time.Now()
		if _, at, err := takeSlot(yes, []*server{s}); err != nil || at != s.first || time.Since(begun) > 0 {
			t.Errorf("who comes first: got %v after %v", err, time.Since(begun))
		}
		time.AfterFunc(time.Second, slot(s.first).leave)
		if _, _, err := takeSlot(yes, []*server{s}); err != nil {
			t.Errorf("who comes first and waits: got %v", err)
		}
	})
}

// mute is an answer of which nothing comes until it is closed.
type mute struct{ *io.PipeReader }

// TestSilent: an answer of which nothing comes is cut when others wait, after a while
// that no other stream needs.
func TestSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{pool: &Pool{}, slots: make(chan struct{}, 1), bodies: map[*body]struct{}{}}
		_, held, _ := takeSlot(t.Context(), []*server{s})
		from, origin := io.Pipe()
		b := newBody(s, mute{from}, 100, held.leave)
		told := make(chan error, 1)
		go func() {
			_, err := io.ReadAll(b)
			told <- err
		}()
		_, _ = origin.Write([]byte("hello"))
		time.Sleep(20 * time.Second)
		_, _ = origin.Write([]byte("hello"))
		begun := time.Now()
		if _, _, err := takeSlot(t.Context(), []*server{s}); !errors.Is(err, ErrBusy) {
			t.Errorf("beside one that moves: got %v", err)
		}
		time.Sleep(silence / 6)
		if _, _, err := takeSlot(t.Context(), []*server{s}); err != nil || time.Since(begun) != silence {
			t.Errorf("beside a silent one: got %v after %v, want none after %v", err, time.Since(begun), silence)
		}
		if err := <-told; !errors.Is(err, errSilent) {
			t.Errorf("who waited for it was told %v", err)
		}
	})
}
