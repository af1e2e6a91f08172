package proxy

import lru "github.com/hashicorp/golang-lru/v2"

const maxHolders = 1 << 16

// holders remembers tickets that got units through this edge. A second click
// that crosses the answer to the first has no pass yet; it must not be told from
// memory that all is gone. Whoever is forgotten here still finds the order
// under the ticket.
type holders struct {
	tickets *lru.Cache[string, struct{}]
}

func newHolders() holders {
	tickets, _ := lru.New[string, struct{}](maxHolders) // only sizes below one fail
	return holders{tickets}
}

func (h holders) add(device string) { h.tickets.Add(device, struct{}{}) }

func (h holders) has(s shopper) bool {
	device := s.device()
	return device != "" && h.tickets.Contains(device)
}
