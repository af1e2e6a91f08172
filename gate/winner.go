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

// Winner is a hold on its way to the ledger. It is delivered at least once,
// until it is settled.
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

// Reader reads the winners of one bucket as one consumer of the ledger's group. One
// goroutine reads; a name belongs to one reader at a time and should survive
// restarts, so that what it left is read first.
type Reader struct {
	gate     *Gate
	bucket   int
	stream   string
	consumer string
	fresh    bool      // its own leftovers are read
	left     string    // up to where they are; empty before the first
	rested   time.Time // when they were
	claimed  time.Time // last take-over
	cursor   string    // of the take-over
	tidied   time.Time // last look for consumers that are gone
}

// Winners returns a reader for each bucket under the given consumer name. Each
// waits on a slot of its own.
func (g *Gate) Winners(consumer string) []*Reader {
	readers := make([]*Reader, 0, len(g.buckets))
	for i, k := range g.buckets {
		readers = append(readers, &Reader{gate: g, bucket: i, stream: k.winners, consumer: consumer, cursor: "0-0"})
	}
	return readers
}

// Read returns up to most winners: first what this consumer was given and did
// not finish, then what dead readers left, then new ones, for which it waits at
// most wait. No winners and no error means that none came. After an error, pause:
// the next call makes the group again if it is gone (a flush, a failover), and
// begins with what this consumer was given in an answer that was lost. So it does
// now and then where nothing comes.
func (r *Reader) Read(ctx context.Context, most int, wait time.Duration) ([]Winner, error) {
	if !r.fresh {
		ws, more, err := r.leftovers(ctx, most)
		if err != nil || more {
			return ws, err
		}
		r.fresh, r.rested = true, time.Now()
	}
	if time.Since(r.claimed) >= claimEvery {
		ws, err := r.takeOver(ctx, most)
		if err != nil || len(ws) > 0 {
			return ws, err
		}
	}
	r.tidy(ctx)
	ws, _, err := r.read(ctx, ">", most, wait)
	if err == nil && len(ws) == 0 && time.Since(r.rested) >= claimEvery {
		r.anew() // a promoted replica may not have heard what was finished
	}
	return ws, err
}

// leftovers reads what this consumer was given and did not finish, page after
// page: a page may still be in hand while the next one is read. more is false
// behind the last one.
func (r *Reader) leftovers(ctx context.Context, most int) (ws []Winner, more bool, err error) {
	if r.left == "" {
		if err := r.makeGroup(ctx); err != nil {
			return nil, false, err
		}
		r.left = "0"
	}
	ws, last, err := r.read(ctx, r.left, most, -1)
	if err != nil || last == "" {
		return nil, false, err
	}
	r.left = last
	return ws, true, nil
}

// read asks once, and returns the last entry beside the winners: one whose
// content is gone is no winner.
func (r *Reader) read(ctx context.Context, from string, most int, wait time.Duration) (ws []Winner, last string, err error) {
	ctx, cancel := context.WithTimeout(ctx, max(wait, 0)+callTimeout)
	defer cancel()
	streams, err := r.gate.rdb.XReadGroup(ctx, &redis.XReadGroupArgs{
		Group: group, Consumer: r.consumer,
		Streams: []string{r.stream, from},
		Count:   int64(most), Block: wait,
	}).Result()
	if errors.Is(err, redis.Nil) {
		return nil, "", nil
	}
	if err != nil {
		r.anew()
		return nil, "", fmt.Errorf("read winners: %w", err)
	}
	for _, s := range streams {
		if n := len(s.Messages); n > 0 {
			last = s.Messages[n-1].ID
		}
		ws = append(ws, r.accept(ctx, s.Messages)...)
	}
	return ws, last, nil
}

// anew lets the next call begin anew.
func (r *Reader) anew() { r.fresh, r.left = false, "" }

// takeOver claims entries that lay too long with a reader, one page a call.
func (r *Reader) takeOver(ctx context.Context, most int) ([]Winner, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	msgs, next, err := r.gate.rdb.XAutoClaim(ctx, &redis.XAutoClaimArgs{
		Stream: r.stream, Group: group, Consumer: r.consumer,
		MinIdle: claimAfter, Start: r.cursor, Count: int64(most),
	}).Result()
	if err != nil {
		r.anew()
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
	err := r.gate.rdb.XGroupCreateMkStream(ctx, r.stream, group, "0").Err()
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
