package certs

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
)

const remake = leafLife / 3 // before the end, a certificate of our own CA is made anew

// internal is the source of certificates that we sign ourselves, for trying.
type internal struct {
	dir     string
	domains []string
	rhythm  rhythm
	log     *zap.Logger
}

func newInternal(cfg *configs.Config, r rhythm, log *zap.Logger) (*internal, *set, error) {
	i := &internal{dir: cfg.DataDir, domains: cfg.TLS.Domains, rhythm: r, log: log}
	s, err := internalSet(i.dir, i.domains)
	return i, s, err
}

// run signs a new certificate when the last one comes to its end.
func (i *internal) run(ctx context.Context, show func(*set)) {
	next := time.Now().Add(leafLife - remake)
	for pause(ctx, time.Until(next)) {
		s, err := internalSet(i.dir, i.domains)
		if err != nil {
			i.log.Warn("certificate not made anew, the one in use is served on", zap.Error(err))
			next = time.Now().Add(i.rhythm.retry)
			continue
		}
		show(s)
		next = time.Now().Add(leafLife - remake)
	}
}

func (*internal) ready() error { return nil }
