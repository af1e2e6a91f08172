package queueing

import (
	"context"
	"fmt"
	"math"

	"github.com/waitroom/waitroom/configs"
)

// Pause stops passes at once and the head with them. Places are kept, entering
// goes on, the draw is held in time. Pausing twice is pausing once.
func (l *Line) Pause(ctx context.Context) error {
	return l.order(ctx, "pause line", "paused", 1)
}

// Resume ends a pause. The bucket holds at most its burst, so the crowd that
// waited comes in at the rate.
func (l *Line) Resume(ctx context.Context) error {
	return l.order(ctx, "resume line", "paused", 0)
}

// SetRate outranks the sale file's rate and burst until the sale ends. The
// bucket then holds a tenth of a second of the new rate, at least one token.
func (l *Line) SetRate(ctx context.Context, rate configs.Rate) error {
	if rate.Count <= 0 || rate.Per <= 0 {
		return fmt.Errorf("set rate: %d in %v, both must be above zero", rate.Count, rate.Per)
	}
	perSecond := rate.PerSecond()
	return l.order(ctx, "set rate", "rate", perSecond, "burst", max(1, math.Floor(perSecond/10)))
}

// SetMessage shows a text to everyone in line; empty takes it away. At most
// 1,000 bytes.
func (l *Line) SetMessage(ctx context.Context, text string) error {
	if len(text) > maxMessage {
		return fmt.Errorf("set message: %d bytes, at most %d are shown", len(text), maxMessage)
	}
	return l.order(ctx, "set message", "message", text)
}

// order writes fields of the line. All edges see them at their next tick.
func (l *Line) order(ctx context.Context, action string, fields ...any) error {
	if _, err := l.callAgain(ctx, scriptOrder, fields...); err != nil {
		return fmt.Errorf("%s: %w", action, err)
	}
	return nil
}
