package origin

import (
	"context"
	"time"
)

// slotWait is how long a request waits for a slot at a server; above the time
// of two dials.
const slotWait = 15 * time.Second

// slot is one of a server's, by the places that it is one of.
type slot chan struct{}

// leave gives it back.
func (s slot) leave() { <-s }

type firstKey struct{}

// First is the context of a request of which comes says, if that matters, whether it
// comes before others: an eighth of the slots is kept for those.
func First(ctx context.Context, comes func() bool) context.Context {
	return context.WithValue(ctx, firstKey{}, comes)
}

func comesFirst(ctx context.Context) bool {
	comes, ok := ctx.Value(firstKey{}).(func() bool)
	return ok && comes()
}

// takeSlot takes a slot at the first server that has one; where none has, it waits at
// the first, and who takes nothing there of an answer is cut, or for whom nothing comes.
func takeSlot(ctx context.Context, servers []*server) (*server, slot, error) {
	for _, s := range servers {
		select {
		case s.slots <- struct{}{}:
			return s, s.slots, nil
		default:
		}
	}
	var first slot // nil: not for this request
	if comesFirst(ctx) {
		for _, s := range servers {
			select {
			case s.first <- struct{}{}:
				return s, s.first, nil
			default:
			}
		}
		first = servers[0].first
	}
	timer := time.NewTimer(slotWait)
	defer timer.Stop()
	look := time.NewTicker(cutEvery)
	defer look.Stop()
	for {
		servers[0].spareOne(time.Now())
		select {
		case servers[0].slots <- struct{}{}:
			return servers[0], servers[0].slots, nil
		case first <- struct{}{}:
			return servers[0], first, nil
		case <-look.C:
		case <-timer.C:
			return nil, nil, ErrBusy
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
}
