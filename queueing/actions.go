package queueing

import (
	"context"
	"fmt"

	"github.com/waitroom/waitroom/configs"
)

// Pause stops passes at once and the head with them. Places are kept, entering
// goes on, the draw is held in time. Pausing twice is pausing once.
func (s *store) Pause(ctx context.Context) error {
	return s.act(ctx, "pause line", "paused", 1)
}

// Resume ends a pause. The bucket holds at most its burst, so the crowd that
// waited comes in at the rate.
func (s *store) Resume(ctx context.Context) error {
	return s.act(ctx, "resume line", "paused", 0)
}

// SetRate outranks the sale file's rate and burst until the sale ends. The
// bucket then holds the new rate's own burst.
func (l *Line) SetRate(ctx context.Context, rate configs.Rate) error {
	return l.setRate(ctx, rate, rate.Burst())
}

// SetRate outranks the room file's rate and burst, likewise.
func (r *Room) SetRate(ctx context.Context, rate configs.Rate) error {
	return r.setRate(ctx, rate, rate.RoomBurst())
}

func (s *store) setRate(ctx context.Context, rate configs.Rate, burst int) error {
	if rate.Count <= 0 || rate.Per <= 0 {
		return fmt.Errorf("set rate: %d in %v, both must be above zero", rate.Count, rate.Per)
	}
	return s.act(ctx, "set rate", "rate", rate.PerSecond(), "burst", burst)
}

// MaxMessage bounds an operator's message, in bytes: every edge carries it in
// every call.
const MaxMessage = 500

// SetMessage shows a text to everyone in line; empty takes it away. It is at most
// MaxMessage long.
func (s *store) SetMessage(ctx context.Context, text string) error {
	if len(text) > MaxMessage {
		return fmt.Errorf("set message: %d bytes, at most %d are shown", len(text), MaxMessage)
	}
	return s.act(ctx, "set message", "message", text)
}

// act writes fields of the line. All edges see them at their next tick.
func (s *store) act(ctx context.Context, action string, fields ...any) error {
	r, err := s.callAgain(ctx, scriptAct, fields...)
	if err == nil {
		err = r.scan("done")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", action, err)
	}
	return nil
}
