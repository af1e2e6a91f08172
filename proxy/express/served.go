package express

import (
	"slices"
	"time"
)

// writeOf takes what the server writes, which may end amid a frame.
func (w *writing) writeOf(p []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.await(); err != nil {
		return err
	}
	if len(w.part) > 0 {
		w.part = append(w.part, p...)
		n := units(w.part, w.take)
		w.part = w.part[:copy(w.part, w.part[n:])]
	} else {
		n := units(p, w.take)
		w.part = append(w.part, p[n:]...)
	}
	if len(w.part) == 0 {
		w.part = nil // most that comes is whole
	}
	return w.drain()
}

// await waits until nobody else writes, as long as a client may take for what is written
// at once.
func (w *writing) await() error {
	if !w.busy {
		return w.err
	}
	late := time.AfterFunc(w.out.lane.times.Write, func() { w.fail(errLate) })
	defer late.Stop()
	for w.err == nil && w.busy {
		w.free.Wait()
	}
	return w.err
}

// take takes a frame, or a block, of the server's.
func (w *writing) take(f frame) {
	if f.kind() == typeReset || f.kind() <= typeHeaders && f.has(flagEndStream) {
		w.over(f.stream())
	}
	switch f.kind() {
	case typeSettings:
		if w.takeSettings(f) {
			return
		}
	case typeReset:
		if len(w.held) > 0 && !w.holdsEnd(f.stream()) { // else it comes behind the end of a whole answer (RFC 9113, 8.1)
			w.out.set(w.drop(w.out.bytes(), f.stream()))
		}
	case typeGoAway:
		if last := f.number() & windowMost; last < w.last {
			f = slices.Clone(f)
			putLast(f, w.last) // it knows nothing of those
		}
		w.gone = true
	}
	w.out.set(w.write(w.out.bytes(), f))
}

// takeSettings reports whether the client has what a frame says already.
func (w *writing) takeSettings(f frame) (has bool) {
	switch {
	case f.has(flagAck): // of all that it has read, the greeting's among them
		for has = true; w.due > 0; w.due-- {
			w.out.set(append(w.out.bytes(), f...))
		}
	case w.greeting != nil:
		if has = string(f) == string(w.greeting); !has {
			w.again++ // the server has that of the greeting for its own
		}
		w.greeting = nil
	}
	return has
}
