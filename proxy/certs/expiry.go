package certs

import (
	"time"

	"go.uber.org/zap"
)

const (
	warnAt    = 21 * 24 * time.Hour // left, at most; certmagic renews when a third is left
	warnLook  = time.Hour
	warnEvery = 24 * time.Hour
)

// expiry warns of certificates that run out: by the log, once a day each.
type expiry struct {
	log    *zap.Logger
	warned map[string]time.Time
}

// look warns of those of a set that are close to their end.
func (e *expiry) look(s *set, now time.Time) {
	for _, d := range s.domains {
		fit := s.named(d)
		if len(fit) == 0 {
			continue
		}
		leaf := fit[0].Leaf
		if !nearEnd(leaf.NotBefore, leaf.NotAfter, now) {
			delete(e.warned, d)
			continue
		}
		if last, ok := e.warned[d]; ok && now.Sub(last) < warnEvery {
			continue
		}
		e.warned[d] = now
		e.log.Warn("certificate runs out", zap.String("domain", d), zap.Time("at", leaf.NotAfter), zap.Bool("over", now.After(leaf.NotAfter)))
	}
}

// nearEnd reports whether a certificate should have been renewed: a quarter of its
// life is left, or three weeks if that is less.
func nearEnd(from, to, now time.Time) bool {
	return to.Sub(now) < min(to.Sub(from)/4, warnAt)
}
