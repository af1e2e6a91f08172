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
)

// wordWait is how long the other one may take for a word.
const wordWait = 5 * time.Second

// errStays means that a predecessor does not leave: it goes on as if nobody had
// asked.
var errStays = errors.New("the instance that runs does not leave")

// Predecessor is the instance that runs on the folder of one that starts. Until
// Go it does not notice that there is one. A nil Predecessor is none, which lets
// serve whoever wants to.
type Predecessor struct {
	PID     int
	conn    *net.UnixConn
	sockets Sockets // those not taken
	closing sync.Once
}

// Call asks whoever runs on a folder for its sockets. It is nil if there is nobody,
// and also if who is there has none of those that are wanted: that one is not to be
// replaced.
func Call(dir string, want Sockets) (*Predecessor, error) {
	var conn *net.UnixConn
	err := inFolder(dir, meeting, func(path string) (err error) {
		conn, err = net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
		return err
	})
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED): // nobody, or one that died
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("call the instance that runs on %s: %w", dir, err)
	}
	p := &Predecessor{conn: conn}
	if err := p.inherit(); err != nil {
		return nil, errors.Join(fmt.Errorf("take the sockets of the instance that runs on %s: %w", dir, err), p.Close())
	}
	if !p.sockets.shares(want) {
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
// hears Serving, or is gone already; after an error it goes on and serves.
func (p *Predecessor) Go() error {
	if p == nil {
		return nil
	}
	_ = p.conn.SetDeadline(time.Now().Add(wordWait))
	_ = say(p.conn, wordGo) // to one that is gone; it may have said why
	word, err := hear(p.conn)
	switch {
	case isTimeout(err):
		return fmt.Errorf("%w: it does not answer", errStays)
	case err != nil, word == wordYes:
		return nil
	}
	return fmt.Errorf("%w: %s", errStays, word)
}

// Serving tells the predecessor, after Go, that it is not needed any more.
func (p *Predecessor) Serving() error {
	if p == nil {
		return nil
	}
	_ = p.conn.SetDeadline(time.Now().Add(wordWait))
	return say(p.conn, wordServing)
}

// Freed waits, after Serving, until the predecessor has let go of what both would work
// at, or ctx is done. It may go on with what it has under way.
func (p *Predecessor) Freed(ctx context.Context) error { return p.wait(ctx, wordFreed) }

// Gone waits, after Serving, until the predecessor's program has ended, or ctx is
// done.
func (p *Predecessor) Gone(ctx context.Context) error { return p.wait(ctx, "") }

// wait waits for a word, or for the end of who says it.
func (p *Predecessor) wait(ctx context.Context, word string) error {
	_ = p.conn.SetDeadline(time.Time{})
	defer context.AfterFunc(ctx, func() { _ = p.conn.SetDeadline(time.Unix(1, 0)) })()
	for {
		said, err := hear(p.conn)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("wait for the instance that leaves: %w", context.Cause(ctx))
		case err != nil, said == word:
			return nil
		}
	}
}

// GiveUp closes those of its sockets that were not taken.
func (p *Predecessor) GiveUp() error {
	if p == nil {
		return nil
	}
	return p.sockets.Close()
}

// Close lets go of it, and of its sockets that were not taken. A predecessor that
// was not told Serving goes on.
func (p *Predecessor) Close() (err error) {
	if p == nil {
		return nil
	}
	p.closing.Do(func() { err = errors.Join(p.GiveUp(), p.conn.Close()) })
	return err
}
