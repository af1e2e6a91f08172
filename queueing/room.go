package queueing

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
)

// Room is the line before a path of the shop: always open, without stock and
// without a draw, so a number is its place. While new shoppers stay within
// the room's rate, and those inside within its bound, each is admitted on
// arrival. Above either the room is armed: who arrives stands behind those who
// wait, until everybody was called and there is room again.
//
// An operator pauses it and sets its rate and message as a sale's. Any number of
// Rooms, on any number of edges, are the same room.
type Room struct {
	store
	bound    int           // on those inside; 0: none
	life     time.Duration // of a pass
	arrivals *together[struct{}, Arrival]
	claims   *together[uint64, claimed]
	renewals *renewals
}

// NewRoom is cheap and calls nobody; after a reload make a new one. What
// [NewLine] asks of the client holds here too.
func NewRoom(rdb redis.UniversalClient, room *configs.Room) *Room {
	always := time.Unix(0, 0)
	r := &Room{
		store: store{rdb: rdb, keys: roomKeys(room.Key), memory: newMemory(), plan: plan{
			key: room.Key, doors: always, opens: always, closes: never, rate: room.Admit, burst: room.Burst,
		}},
		bound: room.MaxActive, life: room.PassLife, renewals: newRenewals(),
	}
	r.arrivals = newTogether(maxArrivals, r.arrive)
	r.claims = newTogether(maxClaims, r.claim)
	return r
}

// never is when a room closes.
var never = time.Date(9999, time.January, 1, 0, 0, 0, 0, time.UTC)

// maxArrivals is the most arrivals of one call: each may take a seat.
const maxArrivals = 1000

// Arrival is a shopper who came to a room.
type Arrival struct {
	Number   uint64 // and place
	Admitted bool
	Claim    Claim // the pass, if Admitted
}

// Arrive gives the next number and, while nobody waits and there are tokens and
// seats, the pass in the same call. Arrivals that come together share calls as
// entries do, the first of them are admitted first. It never refuses: in a
// paused room everyone waits.
//
// A reply that is lost costs a number nobody has, and with it perhaps a token
// and a seat until that seat's pass would have ended.
func (r *Room) Arrive(ctx context.Context) (Arrival, error) {
	return r.arrivals.one(ctx, struct{}{})
}

func (r *Room) arrive(ctx context.Context, asked []struct{}) ([]Arrival, error) {
	fields, err := r.call(ctx, scriptArrive, r.args(len(asked))...)
	if err != nil {
		return nil, fmt.Errorf("arrive at room: %w", err)
	}
	var first uint64
	var admitted int
	var pass Claim
	var seen remembered
	into := []any{"arrived", &first, &admitted, &pass.Admitted, &pass.Expires}
	if err := fields.scan(append(into, seen.fields()...)...); err != nil {
		return nil, fmt.Errorf("arrive at room: %w", err)
	}
	r.memory.learn(seen)
	arrivals := make([]Arrival, len(asked))
	for i := range arrivals {
		arrivals[i].Number = first + uint64(i)
		if i < admitted {
			arrivals[i].Admitted, arrivals[i].Claim = true, pass
		}
	}
	return arrivals, nil
}

// Tick moves the line on, tells Redis of passes that were renewed, and gives the
// room's picture. Every edge ticks, as often as it likes.
func (r *Room) Tick(ctx context.Context) (*Snapshot, error) {
	told := r.renewals.take()
	args := []any{1, 0, 0, ""} // it always calls, and has no stock
	for place, expires := range told {
		args = append(args, place, expires.UnixMicro())
	}
	s, err := r.tick(ctx, scriptRoomTick, r.picture, r.args(args...)...)
	if err != nil {
		r.renewals.putBack(told)
		return nil, err
	}
	return s, nil
}

// picture reads what lua/tick.lua draws of a room.
func (r *Room) picture(fields reply) (*Snapshot, remembered, error) {
	const own = 3
	if len(fields) < own {
		return nil, remembered{}, fmt.Errorf("read reply: %d fields", len(fields))
	}
	cut := len(fields) - own
	s, seen, err := r.store.picture(fields[:cut])
	if err != nil {
		return nil, seen, err
	}
	var active int64
	if err := fields[cut:].scan(&s.Armed, &active, &s.Flow); err != nil {
		return nil, seen, err
	}
	s.Active = uint64(active)
	return s, seen, nil
}

// args puts before a script's own arguments what all scripts of a room are told,
// see lua/room.lua.
func (r *Room) args(own ...any) []any {
	return append([]any{r.bound, r.life.Microseconds()}, own...)
}
