package listen

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// wordWait is how long the other one may take for a word.
const wordWait = 5 * time.Second

// ErrStays means that a predecessor does not leave, or not for this successor: the
// sockets are served by another one.
var ErrStays = errors.New("the instance that runs does not leave")

// Predecessor is the instance that runs on the folder of one that starts. Until
// Go it does not notice that there is one. A nil Predecessor is none, which lets
// serve whoever wants to.
type Predecessor struct {
	PID     int
	dir     string
	conn    *net.UnixConn
	sockets Sockets  // those not taken
	turn    *os.File // held from Go until Settled; nil: not held
	closing sync.Once
}

// Call asks whoever runs on a folder for its sockets. It is nil if there is nobody,
// and also if who is there has none of those that are wanted: that one is not to be
// replaced. ErrStays means that there is nobody to ask for the moment: another one is
// taking over.
func Call(dir string, want Sockets) (*Predecessor, error) {
	conn, err := dial(dir)
	switch {
	case isNobody(err):
		return nil, free(dir)
	case err != nil:
		return nil, fmt.Errorf("call the instance that runs on %s: %w", dir, err)
	}
	p := &Predecessor{dir: dir, conn: conn}
	if err := p.inherit(); err != nil {
		return nil, errors.Join(fmt.Errorf("take the sockets of the instance that runs on %s: %w", dir, err), p.Close())
	}
	if !p.sockets.shares(want) {
		return nil, p.Close()
	}
	return p, nil
}

func dial(dir string) (conn *net.UnixConn, err error) {
	err = inFolder(dir, meeting, func(path string) (err error) {
		conn, err = net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
		return err
	})
	return conn, err
}

// isNobody reports whether an error of dial means that nobody is there, or one that
// died.
func isNobody(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
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
	gone, err := p.ask(wordGo, wordYes)
	if err != nil {
		return err
	}
	if p.turn, err = takeTurn(p.dir); err != nil || !gone {
		return err
	}
	return nobody(p.dir)
}

// Serving tells the predecessor, after Go, that it is not needed any more. After
// ErrStays it goes on: it has waited for too long.
func (p *Predecessor) Serving() error {
	if p == nil {
		return nil
	}
	gone, err := p.ask(wordServing, wordLeaving)
	if err != nil || !gone {
		return err
	}
	return nobody(p.dir)
}

// ask says a word and waits for the answer that is wanted. One that ends in place of
// an answer is gone.
func (p *Predecessor) ask(word, want string) (gone bool, err error) {
	_ = p.conn.SetDeadline(time.Now().Add(wordWait))
	_ = say(p.conn, word) // to one that is gone; it may have said why
	said, err := hear(p.conn)
	switch {
	case isTimeout(err):
		return false, fmt.Errorf("%w: it does not answer", ErrStays)
	case err != nil:
		return true, nil
	case said != want:
		return false, fmt.Errorf("%w: %s", ErrStays, said)
	}
	return false, nil
}

// Settled says that who starts now can ask this program itself: its own Offer is
// open.
func (p *Predecessor) Settled() {
	if p != nil && p.turn != nil {
		_ = p.turn.Close()
	}
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
	p.closing.Do(func() {
		err = errors.Join(p.GiveUp(), p.conn.Close())
		p.Settled()
	})
	return err
}
