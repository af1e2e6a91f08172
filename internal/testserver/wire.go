package testserver

import (
	"net"
	"sync"
)

// largestRequest is how much is read at once; what is larger passes in pieces,
// each of which counts as a request.
const largestRequest = 64 << 10

// wire is one connection through a relay.
type wire struct {
	relay          *Relay
	client, server net.Conn

	mu    sync.Mutex
	reply Fate // of the next answer
}

// cut ends both sides.
func (w *wire) cut() {
	_ = w.client.Close()
	_ = w.server.Close()
}

// requests carries what the client says until one side is gone.
func (w *wire) requests() {
	buffer := make([]byte, largestRequest)
	for {
		n, err := w.client.Read(buffer)
		if n > 0 && !w.request(buffer[:n]) {
			return
		}
		if err != nil {
			w.cut()
			return
		}
	}
}

// request does with a request what its fate says, and reports whether the
// connection goes on.
func (w *wire) request(said []byte) bool {
	fate := w.relay.fateOf(said)
	switch fate.Trick {
	case CutBefore:
		w.cut()
		return false
	case CutHalf:
		w.end(said[:len(said)/2])
		return false
	case Swallow:
		return true
	case LoseReply, HalfReply, HideReply, DelayReply:
		w.mu.Lock()
		w.reply = fate
		w.mu.Unlock()
	case Delay:
		w.relay.late(fate.Late)
	}
	if _, err := w.server.Write(said); err != nil {
		w.cut()
		return false
	}
	return true
}

// end lets the server see what was said, and then the end; replies waits for what
// comes of it.
func (w *wire) end(said []byte) {
	_, _ = w.server.Write(said) // it may be gone already
	if tcp, ok := w.server.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
	_ = w.client.Close()
}

// replies carries what the server answers.
func (w *wire) replies() {
	defer w.cut()
	buffer := make([]byte, largestRequest)
	hidden := false
	for {
		n, err := w.server.Read(buffer)
		if n > 0 {
			switch fate := w.next(); fate.Trick {
			case LoseReply:
				return
			case HalfReply:
				_, _ = w.client.Write(buffer[:n/2])
				return
			case HideReply:
				hidden = true
			case DelayReply:
				w.relay.late(fate.Late)
			}
		}
		if err != nil {
			return
		}
		if hidden {
			continue
		}
		if _, err := w.client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// next is the fate of the answer that has come.
func (w *wire) next() Fate {
	w.mu.Lock()
	defer w.mu.Unlock()
	fate := w.reply
	w.reply = Fate{}
	return fate
}
