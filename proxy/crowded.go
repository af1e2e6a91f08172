package proxy

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// calmAfter so long without a line, a room's is said to be gone: one that comes
// back sooner is the same.
const calmAfter = 10 * time.Second

// crowded tells when a line begins and when it has gone, once each: one that
// comes and goes within a few seconds is one line.
type crowded struct {
	said  bool
	since time.Time // of the last look at which there was a line
}

// look takes what a tick has seen and reports whether there is something to say.
func (c *crowded) look(armed bool, now time.Time) (changed bool) {
	if armed {
		c.since = now
	}
	is := armed || c.said && now.Sub(c.since) < calmAfter
	changed, c.said = is != c.said, is
	return changed
}

// tickRoom is a tick with what it has to say.
func (e *Edge) tickRoom(ctx context.Context, r *room) {
	err := r.tick(ctx)
	e.metrics.roomTicked(r, err)
	e.metrics.forget(map[string]*room{r.cfg.ID: r}, e.house.Load().rooms) // it may have gone meanwhile
	e.tellTick(ctx, &r.trouble, r.cfg.ID, err)
	if err != nil {
		return
	}
	p := r.placard.Load()
	e.house.Load().bound().Tell(p.now())
	if !r.crowded.look(p.line.Armed, time.Now()) {
		return
	}
	fields := []zap.Field{zap.String("sale", r.cfg.ID), zap.Uint64("waiting", p.waiting()), zap.Uint64("active", p.line.Active)}
	if r.crowded.said {
		e.log.Info("room armed", fields...)
	} else {
		e.log.Info("room disarmed", fields...)
	}
}
