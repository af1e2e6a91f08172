package express

import (
	"sync"
	"time"

	"github.com/waitroom/waitroom/proxy/framing"
)

// mostBody is how large a body may be that is answered here, in bytes: it is copied, and a
// server writes a larger one piece by piece, as its client reads.
const mostBody = 256 << 10

// writing is the side of an HTTP2 that writes: whole frames, and no more than the
// client has room for. Whoever writes to the connection goes on until nothing waits, so
// that nobody else has to stay for it.
type writing struct {
	mu   sync.Mutex // never held while the connection is written to
	free sync.Cond  // something of what follows has changed for the better
	out  out

	place  Place          // where an answer is told of
	screen *framing.HTTP2 // which counts what the client has got

	busy bool // somebody writes
	err  error

	passed    uint32 // the highest stream that the server knows
	last      uint32 // the highest that was answered here
	parted    bool   // nothing goes to a server any more
	bye, gone bool   // GOAWAY was said: without an end, and with the last stream
	quiet     bool   // nothing is answered here
	stirs     bool   // an answer waits

	open map[uint32]bool // streams at which the server works
	done time.Time       // since when it has none; zero: it never had

	windows
	part []byte // of the server's, until the frame, or the block, is whole
	due  int    // settings of the client that the server has and has not acknowledged

	greeting frame // settings that the client has; nil: the server's have passed
	again    int   // acknowledgements to come that no server waits for
}

// add appends a frame.
func (w *writing) add(f, payload []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out.set(append(append(w.out.bytes(), f...), payload...))
}

// mayAnswer is a look before anybody is asked for an answer.
func (w *writing) mayAnswer() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.quiet && !w.gone && w.err == nil && len(w.held) == 0 && w.owed <= mostOwed/2
}

// answer puts an answer together, if the client has room for all of it.
func (w *writing) answer(stream uint32, head, date, body []byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	block := len(head) + len(date)
	if w.quiet || w.gone || w.err != nil || block > maxFrame || len(body) > mostBody || !w.spend(len(body)) {
		return false
	}
	w.last, w.stirs = stream, true
	flags := byte(flagEndHeaders)
	if len(body) == 0 {
		flags |= flagEndStream
	}
	b := appendFrame(w.out.bytes(), block, typeHeaders, flags, stream)
	b = append(append(b, head...), date...)
	if len(body) > 0 {
		b = appendData(b, stream, body)
	}
	w.out.set(b)
	return true
}

// pass notes a stream that goes on to the server.
func (w *writing) pass(stream uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.passed = max(w.passed, stream)
	if w.open == nil {
		w.open = map[uint32]bool{}
	}
	w.open[stream] = true
}

// over notes that a stream of the server's has ended.
func (w *writing) over(stream uint32) {
	if w.open[stream] {
		delete(w.open, stream)
		w.done = time.Now()
	}
}

// works reports whether the server is at work, or was so lately, or waits for room.
func (w *writing) works(lately time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.open) > 0 || len(w.held) > 0 || time.Since(w.done) < lately
}

// flush writes what waits, unless somebody does so already; only where much waits, it
// stays for that.
func (w *writing) flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.busy && w.out.much() && w.err == nil {
		w.free.Wait()
	}
	if w.busy {
		return w.err
	}
	return w.drain()
}

// drain writes what waits; nobody else is busy with that.
func (w *writing) drain() error {
	w.busy = true
	for w.out.buf != nil && w.err == nil {
		if err := w.turn(); w.err == nil {
			w.err = err
		}
	}
	w.busy = false
	w.free.Broadcast()
	return w.err
}

// turn writes what waits now. Others may add to it meanwhile.
func (w *writing) turn() error {
	mine, stirs := w.out.take(), w.stirs
	w.stirs = false
	w.mu.Unlock()
	defer func() { // whatever happens: who called unlocks it
		w.mu.Lock()
		w.out.writeBy = mine.writeBy
	}()
	now, n := time.Now(), len(*mine.buf)
	if stirs {
		w.place.Stirred(now)
	}
	err := mine.flush(now)
	w.screen.Wrote(n)
	return err
}

// settle has all written that waits, by whoever is busy with that.
func (w *writing) settle() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.busy && w.err == nil {
		w.free.Wait()
	}
	if !w.busy && w.err == nil {
		_ = w.drain() // nobody reads any more who would have to know
	}
}

// muchWaits reports whether it is time to write.
func (w *writing) muchWaits() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.much()
}

// fail lets nobody wait any more.
func (w *writing) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	w.free.Broadcast()
}

// goodbye says without an end that streams end here.
func (w *writing) goodbye() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.bye || w.gone || w.err != nil {
		return
	}
	w.bye = true
	w.goAway(windowMost, errNone)
}

// end says which stream was the last, and why.
func (w *writing) end(why uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone || w.err != nil {
		return
	}
	w.gone = true
	w.goAway(max(w.last, w.passed), why)
}

func (w *writing) goAway(last, why uint32) {
	w.out.set(appendGoAway(w.out.bytes(), last, why))
	if !w.busy {
		_ = w.drain() // who reads finds out
	}
}

// hand lets a server have the connection; false: it is too late. The server knows of no
// more room than there is in the beginning; more is what there is besides.
func (w *writing) hand() (more int64, may bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.parted {
		return 0, false
	}
	return w.windows.hand(), true
}

// partNow reports whether no server has the connection, and lets none have it.
func (w *writing) partNow() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.parted = !w.handed
	return w.parted
}

// more takes room that the client gives. on is what of it the server is to know.
func (w *writing) more(by int64) (on int64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	on, err = w.grow(by)
	if err == nil && len(w.held) > 0 {
		w.out.set(w.release(w.out.bytes()))
		w.free.Broadcast()
	}
	return on, err
}

// silence lets nothing be answered here any more.
func (w *writing) silence() {
	w.mu.Lock()
	w.quiet = true
	w.mu.Unlock()
}

// setStream takes another window of each stream.
func (w *writing) setStream(window int64) {
	w.mu.Lock()
	w.stream = window
	w.mu.Unlock()
}

// dropNow forgets what is held of a stream that the client has reset.
func (w *writing) dropNow(stream uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.held) > 0 {
		w.out.set(w.drop(w.out.bytes(), stream))
	}
	w.over(stream)
	w.free.Broadcast()
}

// takesAck reports whether an acknowledgement is for settings that no server said.
func (w *writing) takesAck() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.again == 0 {
		return false
	}
	w.again--
	return true
}

// owe notes settings that go on to the server.
func (w *writing) owe() {
	w.mu.Lock()
	w.due++
	w.mu.Unlock()
}
