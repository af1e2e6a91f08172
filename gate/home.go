package gate

import (
	"crypto/sha256"
	"encoding/binary"
)

// Home is the bucket of n in which an account, or a ticket, is at home: the first
// eight bytes of the name's SHA-256, as a big-endian number, modulo n. Anybody can
// work it out; nobody may change it while a sale is open.
func Home(name string, n int) int {
	if n <= 1 {
		return 0
	}
	sum := sha256.Sum256([]byte(name))
	return int(binary.BigEndian.Uint64(sum[:8]) % uint64(n))
}

// home is the bucket in which receipts, notes and winners of an account live.
func (g *Gate) home(account string) int { return Home(account, len(g.buckets)) }

// homes are the buckets in which something of an account may be: of nobody in
// particular, all.
func (g *Gate) homes(account string) []int {
	if account != "" {
		return []int{g.home(account)}
	}
	return g.all()
}

// all are the buckets, in order.
func (g *Gate) all() []int {
	all := make([]int, len(g.buckets))
	for i := range all {
		all[i] = i
	}
	return all
}
