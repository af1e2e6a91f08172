package gate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	group = "ledger"
	// claimAfter is how long an entry may lie with a reader before another
	// takes it over. A batch is committed far within it.
	claimAfter = 15 * time.Second
	claimEvery = 5 * time.Second
)

// Winner is a hold on its way to the ledger. It is delivered at least once
// until Done.
type Winner struct {
	Entry       string // the stream's id of it
	Reservation string
	Account     string
	Ticket      string
	Qty         int
	Reserved    time.Time
	Hold        time.Duration
	Fault       error // the entry cannot be read as a winner; Raw has what it says
	Raw         map[string]any
}

// Reader reads a sale's winners as one consumer of the ledger's group. One
// goroutine reads; a name belongs to one reader at a time and should survive
// restarts, so that what it left is read first.
type Reader struct {
	gate     *Gate
	consumer string
	fresh    bool      // its own leftovers are read
	claimed  time.Time // last take-over
	cursor   string    // of the take-over
}

// Winners returns a reader under the given consumer name.
func (g *Gate) Winners(consumer string) *Reader {
	return &Reader{gate: g, consumer: consumer, cursor: "0-0"}
}

// Read returns up to most winners: first what this consumer was given and did
// not finish, then what dead readers left, then new ones, for which it waits at
// most wait. No winners and no error means that none came. After an error, pause:
// the next call makes the group again if it is gone (a flush, a failover), and
// begins with what this consumer was given in an answer that was lost.
func (r *Reader) Read(ctx context.Context, most int, wait time.Duration) ([]Winner, error) {
	if !r.fresh {
		if err := r.makeGroup(ctx); err != nil {
			return nil, err
		}
		ws, err := r.read(ctx, "0", most, -1)
		if err != nil || len(ws) > 0 {
			return ws, err
		}
		r.fresh = true
	}
	if time.Since(r.claimed) >= claimEvery {
		ws, err := r.takeOver(ctx, most)
		if err != nil || len(ws) > 0 {
			return ws, err
		}
	}
	return r.read(ctx, ">", most, wait)
}

func (r *Reader) read(ctx context.Context, from string, most int, wait time.Duration) ([]Winner, error) {
	ctx, cancel := context.WithTimeout(ctx, max(wait, 0)+callTimeout)
	defer cancel()
	streams, err := r.gate.rdb.XReadGroup(ctx, &redis.XReadGroupArgs{
		Group: group, Consumer: r.consumer,
		Streams: []string{r.gate.keys.winners, from},
		Count:   int64(most), Block: wait,
	}).Result()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		r.fresh = false
		return nil, fmt.Errorf("read winners: %w", err)
	}
	var ws []Winner
	for _, s := range streams {
		ws = append(ws, r.accept(ctx, s.Messages)...)
	}
	return ws, nil
}

// takeOver claims entries that lay too long with a reader, one page a call.
func (r *Reader) takeOver(ctx context.Context, most int) ([]Winner, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	msgs, next, err := r.gate.rdb.XAutoClaim(ctx, &redis.XAutoClaimArgs{
		Stream: r.gate.keys.winners, Group: group, Consumer: r.consumer,
		MinIdle: claimAfter, Start: r.cursor, Count: int64(most),
	}).Result()
	if err != nil {
		r.fresh = false
		return nil, fmt.Errorf("take over winners: %w", err)
	}
	r.cursor = next
	if next == "0-0" {
		r.claimed = time.Now()
	}
	return r.accept(ctx, msgs), nil
}

// makeGroup makes the group if there is none, from the very first entry: what
// was already written is recognised by its reservation.
func (r *Reader) makeGroup(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err := r.gate.rdb.XGroupCreateMkStream(ctx, r.gate.keys.winners, group, "0").Err()
	if err != nil && !strings.Contains(err.Error(), "BUSYGROUP") {
		return fmt.Errorf("make group: %w", err)
	}
	return nil
}

// accept parses entries that were read. One whose content is gone (deleted while
// it was pending) has nothing to write: it is acknowledged here and now, and the
// reconciler finds its receipt.
func (r *Reader) accept(ctx context.Context, msgs []redis.XMessage) []Winner {
	ws := make([]Winner, 0, len(msgs))
	for _, m := range msgs {
		if len(m.Values) == 0 {
			_ = r.Done(ctx, m.ID) // it comes again if this fails
			continue
		}
		ws = append(ws, parseWinner(m))
	}
	return ws
}

// Done acknowledges entries and removes them from the stream. Call it only
// after the commit that made them orders.
func (r *Reader) Done(ctx context.Context, entries ...string) error {
	if len(entries) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := r.gate.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.XAck(ctx, r.gate.keys.winners, group, entries...)
		p.XDel(ctx, r.gate.keys.winners, entries...)
		return nil
	})
	if err != nil {
		return fmt.Errorf("acknowledge winners: %w", err)
	}
	return nil
}

func parseWinner(m redis.XMessage) Winner {
	text := func(k string) string { s, _ := m.Values[k].(string); return s }
	w := Winner{
		Entry:       m.ID,
		Reservation: text("reservation"),
		Account:     text("account"),
		Ticket:      text("ticket"),
		Raw:         m.Values,
	}
	qty, errQ := strconv.Atoi(text("qty"))
	at, errA := strconv.ParseInt(text("reserved"), 10, 64)
	hold, errH := strconv.ParseInt(text("hold"), 10, 64)
	w.Qty, w.Reserved, w.Hold = qty, time.UnixMilli(at), time.Duration(hold)*time.Millisecond
	switch {
	case errors.Join(errQ, errA, errH) != nil:
		w.Fault = fmt.Errorf("winner %s: %w", m.ID, errors.Join(errQ, errA, errH))
	case w.Reservation == "" || w.Account == "" || qty < 1 || hold < 1:
		w.Fault = fmt.Errorf("winner %s: a field is missing or below one", m.ID)
	}
	return w
}
