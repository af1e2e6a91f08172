package certs

import (
	"context"
	"sync"
	"time"
)

// Run keeps certificates and keys fresh until ctx is done. Orders under way are
// broken off then, and their locks let go.
func (k *Keeper) Run(ctx context.Context) error {
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(func() { k.tickets.run(ctx) })
	work.Go(func() { k.watch(ctx) })
	for ctx.Err() == nil {
		k.follow(ctx, k.current())
	}
	return nil
}

func (k *Keeper) current() source {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.source
}

// follow runs a source until there is another.
func (k *Keeper) follow(ctx context.Context, from source) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		from.run(ctx, func(s *set) {
			k.mu.Lock()
			defer k.mu.Unlock()
			if k.source == from { // and no other meanwhile
				k.serve(s)
			}
		})
	}()
	defer func() { cancel(); <-ended }()
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.changed:
			if k.current() != from {
				return
			}
		}
	}
}

// watch warns of certificates that run out.
func (k *Keeper) watch(ctx context.Context) {
	e := &expiry{log: k.log, warned: map[string]time.Time{}}
	ticker := time.NewTicker(warnLook)
	defer ticker.Stop()
	for {
		e.look(k.set.Load(), time.Now())
		select {
		case <-ctx.Done():
			return
		case <-k.shown:
		case <-ticker.C:
		}
	}
}
