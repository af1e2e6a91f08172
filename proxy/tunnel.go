package proxy

import (
	"sync"
	"time"
)

// tunnel is a connection that speaks another protocol than HTTP from here on.
type tunnel struct {
	all       *tunnels
	webSocket bool
	shopper   *side
	origin    *side
	begun     sync.Once
	ended     sync.Once
	over      chan struct{}  // closed with the connections
	leaving   sync.WaitGroup // its farewell
}

// leave says goodbye and closes the tunnel, after wait at the latest.
func (t *tunnel) leave(wait time.Duration) {
	if !t.webSocket {
		t.close()
		return
	}
	timer := time.AfterFunc(wait, t.close)
	defer timer.Stop()
	var farewells sync.WaitGroup // a frame may be on its way to one of them for long
	farewells.Go(t.shopper.farewell)
	farewells.Go(t.origin.farewell)
	<-t.over
	farewells.Wait()
}

// close ends both connections.
func (t *tunnel) close() {
	t.ended.Do(func() {
		close(t.over)
		_ = t.origin.ReadWriteCloser.Close()
		if t.shopper != nil { // it was not to be had
			_ = t.shopper.ReadWriteCloser.Close()
		}
	})
}

// end is close, once nothing is passed on any more.
func (t *tunnel) end() {
	t.close()
	t.all.remove(t)
	t.leaving.Wait()
}
