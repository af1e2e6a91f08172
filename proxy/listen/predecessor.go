package listen

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// wordWait is how long the other one may take for a word.
const wordWait = 5 * time.Second

// ErrStays means that a predecessor does not leave: it goes on as if nobody had
// asked.
var ErrStays = errors.New("the instance that runs does not leave")

// Predecessor is the instance that runs on the folder of one that starts. Until
// Go it does not notice that there is one. A nil Predecessor is none.
type Predecessor struct {
	PID     int
	conn    *net.UnixConn
	sockets Sockets // those not taken
	closing sync.Once
}

// Call asks whoever runs on the folder of a configuration for its sockets. It is
// nil if there is nobody, and also if who is there serves at none of the addresses:
// that one is not to be replaced.
func Call(cfg *configs.Config) (*Predecessor, error) {
	var conn *net.UnixConn
	err := inFolder(cfg.DataDir, meeting, func(path string) (err error) {
		conn, err = net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
		return err
	})
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED): // nobody, or one that died
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("call the instance that runs on %s: %w", cfg.DataDir, err)
	}
	p := &Predecessor{conn: conn}
	if err := p.inherit(); err != nil {
		return nil, errors.Join(fmt.Errorf("take the sockets of the instance that runs on %s: %w", cfg.DataDir, err), p.Close())
	}
	if !p.sockets.shares(wanted(cfg)) {
		return nil, p.Close()
	}
	return p, nil
}

func (p *Predecessor) inherit() error {
	_ = p.conn.SetDeadline(time.Now().Add(wordWait))
	if err := samePerson(p.conn); err != nil {
		return err
	}
	if err := say(p.conn, wordSockets); err != nil {
		return err
	}
	e, all, err := receive(p.conn)
	p.PID, p.sockets = e.PID, all
	return err
}

// take is the socket that is wanted; nil if it is not there.
func (p *Predecessor) take(want Socket) *net.TCPListener {
	if p == nil {
		return nil
	}
	for i, s := range p.sockets {
		if s.Key == want.Key && s.At == want.At {
			p.sockets = append(p.sockets[:i:i], p.sockets[i+1:]...)
			return s.TCPListener
		}
	}
	return nil
}

// Go tells the predecessor that its successor is ready. After nil it leaves once it
// hears Serving, or is gone already; after an error, which wraps ErrStays, it goes
// on and serves.
func (p *Predecessor) Go() error {
	_ = p.conn.SetDeadline(time.Now().Add(wordWait))
	_ = say(p.conn, wordGo) // to one that is gone; it may have said why
	word, err := hear(p.conn)
	switch {
	case isTimeout(err):
		return fmt.Errorf("%w: it does not answer", ErrStays)
	case err != nil, word == wordYes:
		return nil
	}
	return fmt.Errorf("%w: %s", ErrStays, word)
}

// Serving tells the predecessor, after Go, that it is not needed any more.
func (p *Predecessor) Serving() error {
	_ = p.conn.SetDeadline(time.Now().Add(wordWait))
	return say(p.conn, wordServing)
}

// Gone waits, after Serving, until the predecessor's program has ended, or ctx is
// done.
func (p *Predecessor) Gone(ctx context.Context) error {
	_ = p.conn.SetDeadline(time.Time{})
	defer context.AfterFunc(ctx, func() { _ = p.conn.SetDeadline(time.Unix(1, 0)) })()
	_, _ = hear(p.conn) // it says nothing more: this is its end
	if ctx.Err() != nil {
		return fmt.Errorf("wait for the instance that leaves: %w", context.Cause(ctx))
	}
	return nil
}

// Close lets go of it, and of its sockets that were not taken. A predecessor that
// was not told Serving goes on.
func (p *Predecessor) Close() (err error) {
	if p == nil {
		return nil
	}
	p.closing.Do(func() { err = errors.Join(p.sockets.Close(), p.conn.Close()) })
	return err
}
