package proxy

import (
	"context"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/waitroom/waitroom/gate"
)

// maxHolders is how many are remembered, and how many are listed.
const maxHolders = 1 << 16

// holders remembers who got units, so that a no from memory is a no to somebody
// who has nothing, and who has something is led back to it. Who got units here is
// known at once; who did so through other edges, from the roster. Beyond maxHolders
// units out there is none, and whoever has a pass is sent to the gate.
type holders struct {
	here   *lru.Cache[string, gate.Mark] // tickets that got units through this edge, and when
	roster roster
}

func newHolders() *holders {
	here, _ := lru.New[string, gate.Mark](maxHolders) // only sizes below one fail
	return &holders{here: here, roster: roster{read: make(chan struct{})}}
}

// add remembers who got units through this edge, at a mark.
func (h *holders) add(device string, at gate.Mark) { h.here.Add(device, at) }

// has reports whether a shopper got units through this edge.
func (h *holders) has(s *shopper) bool {
	device := s.device()
	return device != "" && h.here.Contains(device)
}

// find is what a shopper has, as the roster says; nil: nothing. known is false when
// that cannot be said: there is no roster, or the shopper got units here since it was
// read.
func (h *holders) find(ctx context.Context, s *shopper) (has *gate.Holder, known bool) {
	return h.look(h.roster.wait(ctx), s)
}

// lack reports whether it is known at once that a shopper has nothing.
func (h *holders) lack(s *shopper) bool {
	l, _ := h.roster.get()
	has, known := h.look(l, s)
	return known && has == nil
}

func (h *holders) look(l *list, s *shopper) (has *gate.Holder, known bool) {
	if l == nil || !l.known {
		return nil, false
	}
	has = l.of(s)
	at, here := h.here.Peek(s.device())
	return has, has != nil || !here || !l.mark.Before(at)
}
