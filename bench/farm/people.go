package main

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"
)

// wish is one ticket that somebody wants.
type wish struct {
	farm    bool
	kind    string // of an honest shopper's network
	addr    netip.Addr
	account string
	comes   time.Duration // after the doors
	speed   float64       // hashes a second; 0: runs no script
}

// Of the honest shoppers.
const (
	perCarrier   = 500  // share an address with a carrier's other customers, four addresses in a block
	carriers     = 3    // such blocks
	perSchool    = 300  // behind the one address of a school
	noScript     = 0.01 // run no script
	onPhones     = 0.6
	phoneSpeed   = 0.5e6 // hashes a second in a browser
	desktopSpeed = 2.2e6
	atOnce       = 0.4 // come in the first minute, the others whenever they like
	phoneWatts   = 3   // more than idle
)

// honest are the shoppers: most have an address of their own.
func honest(n int, doors time.Duration, rng *rand.Rand) []wish {
	all := make([]wish, n)
	for i := range all {
		w := wish{kind: "own address", addr: netip.AddrFrom4([4]byte{10, byte(i >> 8), byte(i), 7}), account: fmt.Sprint("honest ", i), speed: desktopSpeed}
		switch carrier := i / perCarrier; {
		case carrier < carriers:
			w.kind, w.addr = "carrier", netip.AddrFrom4([4]byte{100, 64, byte(carrier), byte(i % 4)})
		case i < carriers*perCarrier+perSchool:
			w.kind, w.addr = "school", netip.AddrFrom4([4]byte{192, 0, 2, 1})
		}
		if rng.Float64() < onPhones {
			w.speed = phoneSpeed
		}
		if rng.Float64() < noScript {
			w.speed = 0
		}
		within := doors
		if rng.Float64() < atOnce {
			within = min(doors, time.Minute)
		}
		w.comes = time.Duration(rng.Float64() * float64(within))
		all[i] = w
	}
	return all
}

// wishes are the farm's: all from the first moment on.
func (f farm) wishes(n int) []wish {
	all := make([]wish, n)
	accounts := f.accounts
	if accounts == 0 {
		accounts = n
	}
	for i := range all {
		a := i % f.addresses
		block := a % f.blocks
		all[i] = wish{
			farm: true, account: fmt.Sprint("farm ", i%accounts),
			addr: netip.AddrFrom4([4]byte{172, byte(16 + block>>8), byte(block), byte(a / f.blocks)}),
		}
	}
	return all
}
