package wiring

import (
	"context"
	"errors"
	"hash/maphash"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Of lines of one class in a second, the first so many are written, then every so
// manieth. A sale writes millions of access records that say the same, and a store
// that is away is told of once, not once a request.
const (
	sampleFirst = 200  // of records of requests that went well, by decision and kind of status
	sampleRare  = 1000 // of all else: what failed, warnings, errors
	sampleThen  = 100
	classes     = 4096 // counted apart; two that meet in one count are sampled together
)

// sampler is a Core that leaves lines out where there are very many of one class,
// and says how many it left out: each line of that class that is written has the
// number of those since the last one. Where none comes any more, tell writes one of
// them. Audit lines are all written.
type sampler struct {
	zapcore.Core
	seed   maphash.Seed
	counts *[classes]count
}

type count struct {
	second  atomic.Int64 // Unix
	seen    atomic.Int64 // in that second
	leftOut atomic.Int64 // since one was written
	kept    atomic.Pointer[line]
}

// line is the first that was left out since one was written.
type line struct {
	to     zapcore.Core
	entry  zapcore.Entry
	fields []zapcore.Field
}

func newSampler(core zapcore.Core) *sampler {
	return &sampler{core, maphash.MakeSeed(), &[classes]count{}}
}

// With is for zap.
func (s *sampler) With(fields []zapcore.Field) zapcore.Core {
	with := *s
	with.Core = s.Core.With(fields)
	return &with
}

// Check is for zap: what a line is of is known only when it is written.
func (s *sampler) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if s.Enabled(e.Level) {
		return checked.AddCore(e, s)
	}
	return checked
}

// Write writes a line or counts it as left out.
func (s *sampler) Write(e zapcore.Entry, fields []zapcore.Field) error {
	if e.Message == "audit" {
		return s.Core.Write(e, fields)
	}
	class, most := s.classOf(e, fields)
	c := &s.counts[class%classes]
	if n := c.next(e.Time.Unix()); n > most && (n-most)%sampleThen != 0 {
		if c.leftOut.Add(1) == 1 {
			c.kept.Store(&line{s.Core, e, slices.Clone(fields)}) // the caller may use them again
		}
		return nil
	}
	return s.Core.Write(e, withLeftOut(fields, c.leftOut.Swap(0)))
}

func withLeftOut(fields []zapcore.Field, left int64) []zapcore.Field {
	if left == 0 {
		return fields
	}
	return append(fields[:len(fields):len(fields)], zap.Int64("left_out", left))
}

// tell writes what was left out before a second (Unix) and not told of since: one line
// for each class.
func (s *sampler) tell(before int64) error {
	var errs []error
	for i := range s.counts {
		c := &s.counts[i]
		l := c.kept.Load()
		if l == nil || l.entry.Time.Unix() >= before || !c.kept.CompareAndSwap(l, nil) {
			continue
		}
		if left := c.leftOut.Swap(0); left > 0 {
			errs = append(errs, l.to.Write(l.entry, withLeftOut(l.fields, left-1)))
		}
	}
	return errors.Join(errs...)
}

// run tells each second until ctx is done.
func (s *sampler) run(ctx context.Context) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			_ = s.tell(now.Unix()) // as with any line, there is nowhere to say it
		}
	}
}

// Sync tells of all that was left out.
func (s *sampler) Sync() error { return errors.Join(s.tell(math.MaxInt64), s.Core.Sync()) }

// next is how manieth of its second a line is.
func (c *count) next(second int64) int64 {
	if last := c.second.Load(); last != second && c.second.CompareAndSwap(last, second) {
		c.seen.Store(0)
	}
	return c.seen.Add(1)
}

// classOf tells lines apart that say different things, and how many of the class
// are written each second before it is sampled. A record of a request is known by
// its decision.
func (s *sampler) classOf(e zapcore.Entry, fields []zapcore.Field) (class uint64, most int64) {
	var h maphash.Hash
	h.SetSeed(s.seed)
	add := func(text string) { _, _ = h.WriteString(text); _ = h.WriteByte(0) } // neither fails
	add(e.LoggerName)
	add(e.Message)
	_ = h.WriteByte(byte(e.Level))
	well := false
	for i := range fields {
		switch fields[i].Key {
		case "decision":
			add(fields[i].String)
		case "status":
			_ = h.WriteByte(byte(fields[i].Integer / 100))
			well = fields[i].Integer < 500
		case "error":
			add("error")
			well = false
		}
	}
	if well && e.Level <= zapcore.InfoLevel {
		return h.Sum64(), sampleFirst
	}
	return h.Sum64(), sampleRare
}
