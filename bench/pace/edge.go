package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/queueing"
)

// edgeCommand makes this program one edge's line: edge URL OPENS RATE BURST. It
// reads places, a line each, and claims them until its input ends.
const edgeCommand = "edge"

const tickEvery = 100 * time.Millisecond // as an edge does

// saleOf is the sale of all measurements, at a rate.
func saleOf(opens time.Time, rate configs.Rate, burst int) *configs.Sale {
	return &configs.Sale{
		ID: saleID, Key: saleID, Doors: opens.Add(-time.Hour), Opens: opens, Closes: opens.Add(time.Hour),
		Admit: rate, Burst: burst,
	}
}

func runEdge(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) != 4 {
		return fmt.Errorf("%s: want URL OPENS RATE BURST", edgeCommand)
	}
	opens, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	rate, err := configs.ParseRate(args[2])
	if err != nil {
		return err
	}
	burst, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	owner := &testserver.Measurement{}
	defer owner.End()
	rdb := testserver.EdgeClient(owner, args[0])
	e := newEdge(queueing.NewLine(rdb, saleOf(time.UnixMilli(opens), rate, burst)), out)
	return errors.Join(e.run(ctx, in), e.out.Flush())
}

type edge struct {
	line *queueing.Line
	mu   sync.Mutex
	out  *bufio.Writer
}

func newEdge(l *queueing.Line, out io.Writer) *edge {
	return &edge{line: l, out: bufio.NewWriterSize(out, 1<<16)}
}

// run claims what it reads and ticks as long as there is something to read.
func (e *edge) run(ctx context.Context, in io.Reader) error {
	ticking, stop := context.WithCancel(ctx)
	defer stop()
	var ticks, claims sync.WaitGroup
	ticks.Go(func() { e.tick(ticking) })
	places := bufio.NewScanner(in)
	for places.Scan() {
		place, err := strconv.ParseUint(places.Text(), 10, 64)
		if err != nil {
			return fmt.Errorf("read place: %w", err)
		}
		claims.Go(func() { e.claim(ctx, place) })
	}
	claims.Wait()
	stop()
	ticks.Wait()
	return places.Err()
}

// tick moves the line on, says where the head is, and sends what was said
// meanwhile on its way.
func (e *edge) tick(ctx context.Context) {
	const send = 5 * time.Millisecond
	ticker := time.NewTicker(send)
	defer ticker.Stop()
	var next time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			if now.After(next) {
				next = now.Add(tickEvery)
				if s, err := e.line.Tick(ctx, true, queueing.Stock{}); err == nil {
					e.say(word{kind: called, head: s.Head})
				}
			}
			e.mu.Lock()
			_ = e.out.Flush() // nobody listens any more: the input ends too
			e.mu.Unlock()
		}
	}
}

func (e *edge) claim(ctx context.Context, place uint64) {
	c, err := e.line.Claim(ctx, queueing.Turn{Place: place})
	w := word{kind: admitted, place: place, at: c.Admitted}
	switch wait, ok := errors.AsType[*queueing.WaitError](err); {
	case ok: // as the front door spreads those who were told together
		w.kind, w.wait = denied, wait.Retry+time.Duration(rand.Float64()*float64(max(wait.Retry/2, time.Second)))
	case err != nil:
		w.kind, w.err, w.wait = failed, err, tryAgain
	case c.Again:
		w.kind = again
	}
	e.say(w)
}

func (e *edge) say(w word) {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, _ = fmt.Fprintf(e.out, "%d %d %d %d %d %v\n", w.kind, w.place, w.head, w.at.UnixMicro(), w.wait.Microseconds(), w.err)
}

// readWord reads what say wrote.
func readWord(line string) (w word, err error) {
	fields := strings.SplitN(line, " ", 6)
	var at, wait int64
	if len(fields) == 6 {
		_, err = fmt.Sscan(strings.Join(fields[:5], " "), &w.kind, &w.place, &w.head, &at, &wait)
	}
	if err != nil || len(fields) != 6 {
		return w, fmt.Errorf("read word of edge: %q", line)
	}
	w.at, w.wait = time.UnixMicro(at), time.Duration(wait)*time.Microsecond
	if w.kind == failed {
		w.err = errors.New(fields[5])
	}
	return w, nil
}
