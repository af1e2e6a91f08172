package queueing

import (
	"context"
	"crypto/rand"
	"encoding/hex"
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
	claims   *together[visitor, claimed]
	stays    *stays
}

// NewRoom is cheap and calls nobody. What [NewLine] asks of the client holds here
// too.
func NewRoom(rdb redis.UniversalClient, room *configs.Room) *Room {
	return newRoom(rdb, room, newMemory(), newStays())
}

// Again is the room under a changed configuration of the same key: what this edge
// remembers, and what it still has to tell, goes on in it. With another key it is a
// room that knows nothing. Both may be used at once.
func (r *Room) Again(room *configs.Room) *Room {
	if room.Key != r.plan.key {
		return NewRoom(r.rdb, room)
	}
	return newRoom(r.rdb, room, r.memory, r.stays)
}

func newRoom(rdb redis.UniversalClient, room *configs.Room, memory *memory, stays *stays) *Room {
	always := time.Unix(0, 0)
	r := &Room{
		store: store{rdb: rdb, keys: roomKeys(room.Key), memory: memory, plan: plan{
			key: room.Key, doors: always, opens: always, closes: never, rate: room.Admit, burst: room.Burst,
		}},
		bound: room.MaxActive, life: room.PassLife, stays: stays,
	}
	r.arrivals = newTogether(maxArrivals, nil, r.arrive)
	r.claims = newTogether(maxClaims, nil, r.claim)
	return r
}

// never is when a room closes.
var never = time.Date(9999, time.January, 1, 0, 0, 0, 0, time.UTC)

// maxArrivals is the most arrivals of one call: each may take a seat.
const maxArrivals = 1000

// Arrival is a shopper who came to a room.
type Arrival struct {
	Number   uint64  // and place
	ID       [8]byte // random: of the ticket and the pass
	Admitted bool
	Claim    Claim // the pass, if Admitted
}

// Arrive gives the next number and, while nobody waits and there are tokens and
// seats, the pass in the same call. Arrivals that come together share calls as
// entries do, the first of them are admitted first. It never refuses: in a
// paused room everyone waits. After a loss it may take a third of a second, see
// [Line.Enter].
//
// A reply that is lost costs a number nobody has, and with it perhaps a token,
// and a seat for a minute.
func (r *Room) Arrive(ctx context.Context) (Arrival, error) {
	return r.arrivals.one(ctx, struct{}{})
}

func (r *Room) arrive(ctx context.Context, asked []struct{}) ([]Arrival, error) {
	ids := make([][8]byte, len(asked))
	args := make([]any, len(asked))
	for i := range ids {
		_, _ = rand.Read(ids[i][:]) // never fails
		args[i] = hex.EncodeToString(ids[i][:])
	}
	fields, err := r.number(ctx, scriptArrive, r.keys, r.args(args...)...)
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
		arrivals[i].Number, arrivals[i].ID = first+uint64(i), ids[i]
		if i < admitted {
			arrivals[i].Admitted, arrivals[i].Claim = true, pass
		}
	}
	return arrivals, nil
}

// Tick moves the line on, tells Redis of passes that were shown and released, hears
// who has left elsewhere, and gives the room's picture. Every edge ticks, as often
// as it likes; after a loss within a third of a second, so that it can say what it
// remembers before new numbers are given.
func (r *Room) Tick(ctx context.Context) (*Snapshot, error) {
	said := r.stays.take()
	args := []any{1, 0, 0, "", "", 0} // it always calls, and has no stock
	s, news, err := r.tick(ctx, scriptRoomTick, roomFields, r.picture, r.args(append(args, said.args()...)...)...)
	if err == nil {
		err = r.hear(s, news)
	}
	if err != nil {
		r.stays.putBack(said)
		return nil, err
	}
	return s, nil
}

// hear takes in who has left, and whether Redis forgot who is inside.
func (r *Room) hear(s *Snapshot, news reply) error {
	if len(news) < 2 || len(news)%2 != 0 {
		return fmt.Errorf("tick line: read who has left: %d fields", len(news))
	}
	var heard int64
	var more bool
	if err := news[:2].scan(&heard, &more); err != nil {
		return fmt.Errorf("tick line: read who has left: %w", err)
	}
	left := make(map[[8]byte]time.Time, len(news)/2-1)
	for i := 2; i < len(news); i += 2 {
		id, err := hex.DecodeString(news[i])
		if err != nil || len(id) != 8 {
			continue // no name that we gave
		}
		var until time.Time
		if err := news[i+1 : i+2].scan(&until); err != nil {
			return fmt.Errorf("tick line: read who has left: %w", err)
		}
		left[[8]byte(id)] = until
	}
	r.stays.hear(s.Now, heard, left)
	if r.bound > 0 && !more {
		r.stays.compare(s.Now, s.Active)
	}
	return nil
}

// picture reads what lua/tick.lua draws of a room.
func (r *Room) picture(fields reply) (*Snapshot, remembered, error) {
	const cut = lineFields
	if len(fields) != roomFields {
		return nil, remembered{}, fmt.Errorf("read reply: %d fields, want %d", len(fields), roomFields)
	}
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
