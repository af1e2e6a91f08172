package listen

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// readyWait is how long a successor may take from its first word until it is
// ready: it asks its stores and gets its certificates.
const readyWait = 5 * time.Minute

// An Offer gives the sockets of a program that runs to one that is to take its
// place.
type Offer struct {
	sockets Sockets
	log     *zap.Logger
	on      *net.UnixListener
	path    string
	own     os.FileInfo   // of the socket at path
	leaving sync.Mutex    // held by the successor that was told yes
	kept    *net.UnixConn // to the successor
	gone    atomic.Bool   // a successor serves
	taken   chan int      // its process
}

// NewOffer opens the place in a folder where a successor asks. It replaces what an
// instance that is gone, or that leaves, has there.
func NewOffer(dir string, sockets Sockets, log *zap.Logger) (*Offer, error) {
	o := &Offer{sockets: sockets, log: log.Named("listen"), path: filepath.Join(dir, meeting), taken: make(chan int, 1)}
	if err := o.open(dir); err != nil {
		return nil, fmt.Errorf("open %s: %w", o.path, err)
	}
	return o, nil
}

// open binds a name of its own first, so that at each moment somebody answers at
// the one that is known.
func (o *Offer) open(dir string) error {
	name := fmt.Sprintf(".%s.%d", meeting, os.Getpid())
	own := filepath.Join(dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.Remove(own); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	err := inFolder(dir, name, func(path string) (err error) {
		o.on, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		return err
	})
	if err != nil {
		return err
	}
	o.on.SetUnlinkOnClose(false)
	if err = os.Chmod(own, 0o600); err == nil {
		if o.own, err = os.Stat(own); err == nil {
			err = os.Rename(own, o.path)
		}
	}
	if err != nil {
		return errors.Join(err, o.on.Close(), os.Remove(own))
	}
	return nil
}

// Taken gives the process of the successor, once it serves.
func (o *Offer) Taken() <-chan int { return o.taken }

// Run answers successors until ctx is done or one of them serves.
func (o *Offer) Run(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { _ = o.on.Close() })()
	var talks sync.WaitGroup
	defer talks.Wait()
	for {
		c, err := o.on.AcceptUnix()
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return nil
			}
			return fmt.Errorf("accept at %s: %w", o.path, err)
		}
		talks.Go(func() { o.talk(ctx, c) })
	}
}

// talk is one successor, from its first word to its last.
func (o *Offer) talk(ctx context.Context, c *net.UnixConn) {
	stop := context.AfterFunc(ctx, func() { within(ctx, c, 0) })
	pid, err := o.answer(ctx, c)
	stop()
	if err != nil {
		o.refuse(ctx, c, err)
		o.log.Warn("successor did not take over", zap.Int("pid", pid), zap.Error(err))
		return
	}
	o.kept = c
	o.gone.Store(true)
	o.taken <- pid
	_ = o.on.Close()
}

// refuse says why a successor cannot take over. One that hears nothing, and finds
// nobody here any more, takes this program for gone, as it is when it ends by itself.
func (o *Offer) refuse(ctx context.Context, c *net.UnixConn, why error) {
	_ = c.SetDeadline(time.Now().Add(wordWait))
	switch {
	case o.gone.Load():
		_ = say(c, "another one has taken over")
	case ctx.Err() == nil:
		_ = say(c, why.Error())
	default:
		_ = o.on.Close()
	}
	_ = c.Close()
}

func (o *Offer) answer(ctx context.Context, c *net.UnixConn) (pid int, err error) {
	within(ctx, c, wordWait)
	if err := samePerson(c); err != nil {
		return 0, err
	}
	pid = personAt(c)
	if err := expect(c, wordSockets); err != nil {
		return pid, err
	}
	if err := give(c, o.sockets); err != nil {
		return pid, err
	}
	o.log.Info("successor is starting", zap.Int("pid", pid))
	within(ctx, c, readyWait)
	if err := expect(c, wordGo); err != nil {
		return pid, err
	}
	within(ctx, c, wordWait)
	if !o.leaving.TryLock() {
		return pid, errors.New("another one is taking over")
	}
	err = say(c, wordYes)
	if err == nil {
		err = expect(c, wordServing)
	}
	if err == nil {
		err = say(c, wordLeaving)
	}
	if err != nil {
		o.leaving.Unlock()
	}
	return pid, err
}

// within gives the other one its time for what is next, but no longer than until ctx
// is done.
func within(ctx context.Context, c *net.UnixConn, wait time.Duration) {
	_ = c.SetDeadline(time.Now().Add(wait))
	if ctx.Err() != nil {
		_ = c.SetDeadline(time.Unix(1, 0))
	}
}

func expect(c *net.UnixConn, want string) error {
	got, err := hear(c)
	switch {
	case err != nil:
		return fmt.Errorf("hear %q: %w", want, err)
	case got != want:
		return fmt.Errorf("heard %q, want %q", got, want)
	}
	return nil
}

// LetGo tells the successor that what both would work at is its own from now on: see
// Predecessor.Freed.
func (o *Offer) LetGo() error {
	if o == nil || !o.gone.Load() {
		return nil
	}
	_ = o.kept.SetDeadline(time.Now().Add(wordWait))
	if err := say(o.kept, wordFreed); err != nil {
		return fmt.Errorf("tell the successor that it is free: %w", err)
	}
	return nil
}

// Shut lets nobody ask any more. What a successor has put in its place stays.
func (o *Offer) Shut() error {
	err := o.on.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	if there, wrong := os.Stat(o.path); wrong == nil && os.SameFile(there, o.own) {
		err = errors.Join(err, os.Remove(o.path))
	}
	return err
}

// Close is Shut, and the end of this program as the successor sees it: a connection
// that nobody holds would end by itself.
func (o *Offer) Close() error {
	if o == nil {
		return nil
	}
	err := o.Shut()
	if o.gone.Load() {
		err = errors.Join(err, o.kept.Close())
	}
	return err
}
