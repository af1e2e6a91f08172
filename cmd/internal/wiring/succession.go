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
	readyEvery  = 20 * time.Millisecond // a look whether it is
	goneWithin  = time.Minute           // for a predecessor to drain and let go of the books
)

// claim opens the sockets, in the place of the instance that runs on the same
// data_dir if there is one. Of the embedded books there is one owner: it has to
// leave before they can be opened, and who comes meanwhile waits in the sockets'
// queues.
func (e *Edge) claim(ctx context.Context, cfg *configs.Config) (err error) {
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
	if !cfg.Embedded() {
		return nil
	}
	return e.relieve(ctx)
}

// wanted are the sockets of a program that runs an edge.
func wanted(cfg *configs.Config) listen.Sockets {
	all := proxy.Sockets(cfg)
	if cfg.Embedded() && cfg.Worker.Token.IsSet() {
		all = append(all, listen.Socket{Key: keyWorker, At: cfg.Worker.Listen})
	}
	return all
}

// relieve lets the predecessor leave, and waits for it.
func (e *Edge) relieve(ctx context.Context) error {
	if err := e.before.Go(); err != nil {
		return err
	}
	if err := e.before.Serving(); err != nil {
		e.log.Debug("predecessor is gone", zap.Error(err))
	}
	ctx, cancel := context.WithTimeout(ctx, goneWithin)
	defer cancel()
	if err := e.before.Gone(ctx); err != nil {
		return err
	}
	e.log.Info("the instance that ran has left", zap.Int("pid", e.before.PID))
	err := e.before.Close()
	e.before = nil
	return err
}

// serve serves in front until ctx is done or another instance has taken over. It
// begins when a predecessor, if there is one, will leave.
func (e *Edge) serve(ctx context.Context, end context.CancelCauseFunc) error {
	if e.before != nil {
		if err := e.ripen(ctx); err != nil {
			return fmt.Errorf("take over: %w", err)
		}
	}
	if err := e.before.Go(); err != nil {
		return fmt.Errorf("take over: %w", err)
	}
	var group errgroup.Group
	group.Go(func() error {
		defer end(nil)
		return e.server.Run(ctx)
	})
	if e.before != nil {
		if err := e.before.Serving(); err != nil {
			e.log.Debug("predecessor is gone", zap.Error(err))
		}
		e.log.Info("serving in the place of the instance that ran", zap.Int("pid", e.before.PID))
		if err := e.before.Close(); err != nil { // with the sockets that are given up
			e.log.Warn("a socket that is given up was not closed", zap.Error(err))
		}
	}
	group.Go(func() error { return e.offer(ctx, end) })
	return group.Wait()
}

// ripen waits until all is there that serving needs.
func (e *Edge) ripen(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	ticker := time.NewTicker(readyEvery)
	defer ticker.Stop()
	for {
		err := errors.Join(e.edge.Ready(), e.ready())
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

// offer lets another instance take over. Where none can ask, serving goes on.
func (e *Edge) offer(ctx context.Context, end context.CancelCauseFunc) error {
	offer, err := listen.NewOffer(e.Config().DataDir, e.sockets, e.log)
	if err != nil {
		e.log.Warn("no other instance can take over", zap.Error(err))
		return nil
	}
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
	return errors.Join(group.Wait(), offer.Close())
}
