package wiring

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy"
	"github.com/waitroom/waitroom/proxy/listen"
)

// keyWorker is the key of the socket of a worker's API.
const keyWorker = "worker.listen"

const (
	readyWithin = time.Minute           // from when it runs until a successor has to be ready
	sellWithin  = 5 * time.Second       // the same where nobody serves meanwhile
	readyEvery  = 20 * time.Millisecond // a look whether it is
	freeWithin  = time.Minute           // for a predecessor to let go of the books
	writeWithin = 5 * time.Second       // for the last winners to be written
	writeEvery  = 10 * time.Millisecond // a look whether they are
)

// claim opens the sockets, in the place of the instance that runs on the same
// data_dir if there is one.
func (e *Edge) claim(cfg *configs.Config) (err error) {
	want := wanted(cfg)
	if e.before, err = listen.Call(cfg.DataDir, want); err != nil {
		return err
	}
	if e.sockets, err = listen.Open(want, e.before); err != nil {
		return err
	}
	if e.before == nil {
		return nil
	}
	e.log.Info("taking over from the instance that runs", zap.Int("pid", e.before.PID))
	return nil
}

// wanted are the sockets of a program that runs an edge.
func wanted(cfg *configs.Config) listen.Sockets {
	all := proxy.Sockets(cfg)
	if cfg.Embedded() && cfg.Worker.Token.IsSet() {
		all = append(all, listen.Socket{Key: keyWorker, At: cfg.Worker.Listen})
	}
	return all
}

// inherit opens the embedded books. They have one owner, with the gates that are in
// its memory: a predecessor has to let go of them before. It stops accepting, ends
// what asks line and gate, writes the last winners, and closes the books; what the
// origin answers goes on there. Who comes meanwhile waits in the sockets' queues.
func (e *Edge) inherit(ctx context.Context, cfg *configs.Config) error {
	if e.before != nil {
		if err := e.before.Go(); err != nil {
			return fmt.Errorf("take over: %w", err)
		}
		if err := e.before.Serving(); err != nil {
			return fmt.Errorf("take over: %w", err)
		}
		ctx, cancel := context.WithTimeout(ctx, freeWithin)
		defer cancel()
		if err := e.before.Freed(ctx); err != nil {
			return fmt.Errorf("take over: %w", err)
		}
		e.log.Info("the instance that ran has let go of the books", zap.Int("pid", e.before.PID))
	}
	return e.stores.openBooks(ctx, cfg)
}

// work is all that is done at line, gate and books besides what requests want, until
// ctx is done. In embedded mode it ends before that if a successor waits for the
// books and no request here asks them any more.
func (e *Edge) work(ctx context.Context) error {
	if e.worker == nil {
		return e.edge.Run(ctx)
	}
	own, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	group, broken := errgroup.WithContext(own)
	group.Go(func() error { return e.edge.Run(broken) })
	group.Go(func() error { return e.worker.run(broken) })
	group.Go(func() error {
		defer end()
		select {
		case <-broken.Done():
			return nil
		case <-ctx.Done():
		case <-e.server.AtRest():
		}
		return e.worker.inBooks(broken)
	})
	return errors.Join(group.Wait(), e.stores.close(), e.offer.Load().LetGo())
}

// serve serves in front until ctx is done or another instance has taken over. It
// begins when a predecessor, if there is one, will leave; of the embedded books that
// one has gone already.
func (e *Edge) serve(ctx context.Context, end context.CancelCauseFunc) error {
	switch {
	case e.before == nil:
	case e.worker != nil: // nobody serves: better soon than whole
		if err := e.ripen(context.WithoutCancel(ctx), sellWithin, e.edge.Selling); err != nil {
			e.log.Warn("serving although not all is ready", zap.Error(err))
		}
	default:
		if err := e.ripen(ctx, readyWithin, e.edge.Ready); err != nil {
			return fmt.Errorf("take over: %w", err)
		}
		if err := e.before.Go(); err != nil {
			return fmt.Errorf("take over: %w", err)
		}
	}
	var group errgroup.Group
	group.Go(func() error {
		defer end(nil)
		return e.server.Run(ctx)
	})
	if e.before != nil {
		if err := e.succeed(); err != nil {
			end(proxy.ErrSucceeded) // the other one goes on
			return errors.Join(err, group.Wait())
		}
		group.Go(func() error { e.outlive(ctx); return nil })
	}
	group.Go(func() error { return e.offerPlace(ctx, end) })
	return group.Wait()
}

// succeed lets the predecessor leave, whose sockets are served here.
func (e *Edge) succeed() error {
	if e.worker == nil {
		if err := e.before.Serving(); err != nil {
			return fmt.Errorf("take over: %w", err)
		}
	}
	e.log.Info("serving in the place of the instance that ran", zap.Int("pid", e.before.PID))
	if err := e.before.GiveUp(); err != nil {
		e.log.Warn("a socket that is given up was not closed", zap.Error(err))
	}
	return nil
}

// outlive says when the predecessor has ended.
func (e *Edge) outlive(ctx context.Context) {
	if e.before.Gone(ctx) == nil {
		e.log.Info("the instance that ran has left", zap.Int("pid", e.before.PID))
	}
}

// ripen waits until all is there that serving needs.
func (e *Edge) ripen(ctx context.Context, within time.Duration, edge func() error) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	ticker := time.NewTicker(readyEvery)
	defer ticker.Stop()
	for {
		err := errors.Join(edge(), e.ready())
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not ready: %w", err)
		case <-ticker.C:
		}
	}
}

// offerPlace lets another instance take over. Where none can ask, serving goes on.
func (e *Edge) offerPlace(ctx context.Context, end context.CancelCauseFunc) error {
	offer, err := listen.NewOffer(e.Config().DataDir, e.sockets, e.log)
	if err != nil {
		e.log.Warn("no other instance can take over", zap.Error(err))
		return nil
	}
	e.offer.Store(offer)
	e.before.Settled()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var group errgroup.Group
	group.Go(func() error { return offer.Run(ctx) })
	select {
	case <-ctx.Done():
	case pid := <-offer.Taken():
		e.log.Info("another instance has taken over, draining", zap.Int("pid", pid))
		end(proxy.ErrSucceeded)
	}
	stop()
	return errors.Join(group.Wait(), offer.Shut())
}
