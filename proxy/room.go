package proxy

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

// calmAfter so long without a line, a room's is said to be gone: one that comes
// back sooner is the same.
const calmAfter = 10 * time.Second

// room is one room on this edge: its line, and the sign that says what this edge
// last knew of it. It survives reloads that do not touch it.
type room struct {
	cfg   *configs.Room
	line  *queueing.Room
	sign  atomic.Pointer[sign] // nil until the first tick
	alone *rate.Limiter        // of whom this edge lets in while Redis is away
	left  departures

	ticking atomic.Bool
	crowded crowded // the tick's own
}

func newRoom(cfg *configs.Room, rdb redis.UniversalClient) *room {
	return &room{
		cfg: cfg, line: queueing.NewRoom(rdb, cfg),
		alone: rate.NewLimiter(rate.Limit(cfg.Admit.PerSecond()), cfg.Burst),
		left:  newDepartures(),
	}
}

// openRoom takes a room over from the last house if nothing about it has changed.
// A changed one keeps its line, and what the old one knew of it.
func (h *house) openRoom(cfg *configs.Room, last *house, rdb redis.UniversalClient) {
	r := newRoom(cfg, rdb)
	if last != nil && last.rooms[cfg.ID] != nil {
		old := last.rooms[cfg.ID]
		if old.cfg.Same(cfg) {
			r = old
		} else {
			r.left = old.left
			if s := old.sign.Load(); s != nil {
				r.sign.Store(newSign(cfg, nil, s.line, s.taken, s.stale))
			}
		}
	}
	h.rooms[cfg.ID] = r
}

// tick asks the line how it stands and hangs out a new sign. When Redis does not
// answer the old one stays, and is stale after a while.
func (r *room) tick(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tickWait)
	defer cancel()
	last := r.sign.Load()
	line, err := r.line.Tick(ctx)
	if err != nil {
		if last != nil && last.away() {
			r.sign.Store(newSign(r.cfg, last, last.line, last.taken, true))
		}
		return fmt.Errorf("tick room %s: %w", r.cfg.ID, err)
	}
	r.alone.SetLimit(rate.Limit(line.Rate))
	r.sign.Store(newSign(r.cfg, last, line, time.Now(), false))
	return r.left.tell(ctx, r.line)
}

// crowded tells when a line begins and when it has gone, once each: one that
// comes and goes within a few seconds is one line.
type crowded struct {
	said  bool
	since time.Time // of the last look at which there was a line
}

// look takes what a tick has seen and reports what there is to say, if anything.
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
	if err != nil {
		if ctx.Err() == nil {
			e.log.Warn("tick failed", zap.Error(err))
		}
		return
	}
	s := r.sign.Load()
	if !r.crowded.look(s.line.Armed, time.Now()) {
		return
	}
	fields := []zap.Field{zap.String("sale", r.cfg.ID), zap.Uint64("waiting", s.waiting()), zap.Uint64("active", s.line.Active)}
	if r.crowded.said {
		e.log.Info("room armed", fields...)
	} else {
		e.log.Info("room disarmed", fields...)
	}
}

// departures are the passes that the origin ended and Redis has not been told of
// yet. What finds no space ends by itself, with its pass.
type departures struct{ places chan uint64 }

const maxDepartures = 1 << 14

func newDepartures() departures { return departures{make(chan uint64, maxDepartures)} }

func (d departures) add(place uint64) {
	select {
	case d.places <- place:
	default:
	}
}

// tell releases those who have left. One that Redis could not be told stays for
// the next time.
func (d departures) tell(ctx context.Context, line *queueing.Room) error {
	for range len(d.places) {
		select {
		case place := <-d.places:
			if err := line.Release(ctx, place); err != nil {
				d.add(place)
				return err
			}
		default: // the room of before a reload has told the others
			return nil
		}
	}
	return nil
}
