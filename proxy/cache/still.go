package cache

import "time"

const (
	// stillAfter a body of which nothing more comes stands still: who asks then begins
	// another fetch.
	stillAfter = 3 * time.Second
	// stillMost is how long such a fetch goes on, for who reads it already.
	stillMost = 15 * time.Second
)

// watch tells a body that stands still, so that one answer which never ends takes
// nobody along who comes later, and does not stay for ever.
type watch struct {
	f          *flight
	still, end *time.Timer
}

// watch begins to look at the body of a flight.
func (f *flight) watch() *watch {
	return &watch{
		f: f,
		still: time.AfterFunc(stillAfter, func() {
			f.cache.notes.write(f.q.key, func(n *note) { n.bareUntil = time.Now().Add(bareFor) })
			f.still.Store(true)
		}),
		end: time.AfterFunc(stillMost, func() { f.end(errSlow) }),
	}
}

// moved notes that something came.
func (w *watch) moved() {
	w.still.Reset(stillAfter)
	w.end.Reset(stillMost)
	w.f.still.Store(false)
}

func (w *watch) stop() {
	w.still.Stop()
	w.end.Stop()
}
