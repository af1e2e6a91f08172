package main

import (
	"time"

	"github.com/waitroom/waitroom/configs"
)

// defence is what the operator has switched on.
type defence struct {
	name    string
	address configs.Limit // tickets of an address
	block   configs.Block
	account bool // one ticket an account
	proof   bool
	least   bool // some time between challenge and wish
}

// farm is what a farm has.
type farm struct {
	name      string
	addresses int     // spread evenly over its blocks
	blocks    int     // IPv4 /24
	accounts  int     // of the shop; 0: as many as it wants tickets
	hashes    float64 // a second, all machines together
	hasty     bool    // does not wait, and solves nothing
}

// scene is one row of the table.
type scene struct {
	defence
	farm
	doors time.Duration
}

const (
	coreHashes = 6e6     // SHA-256 a second of one core, by a program
	machine    = 8       // cores
	plenty     = 1 << 20 // cores, where hashes are not what a farm is short of
)

func perMinute(n int) configs.Limit {
	return configs.Limit{Rate: configs.Rate{Count: n, Per: time.Minute}}
}

var (
	off     = configs.Limit{Off: true}
	noBlock = configs.Block{Join: off, Burst: 1}
)

// scenes are the rows.
func scenes(doors time.Duration) []scene {
	none := defence{name: "none", address: off, block: noBlock}
	address := none
	address.name, address.address = "`address.join: 300/min`", perMinute(300)
	wide, tight, account, proof, least := address, address, address, address, address
	wide.name, wide.block = "`block: {join: 10/min, burst: 200}`", configs.Block{Join: perMinute(10), Burst: 200}
	tight.name, tight.block = "`block: {join: 1/min, burst: 50}`", configs.Block{Join: perMinute(1), Burst: 50}
	account.name, account.account = "one ticket an account", true
	proof.name, proof.proof = "`proof`", true
	least.name, least.least = "`least_time: 2s`", true
	all := wide
	all.name, all.account, all.proof, all.least = "the wider cap, accounts, `proof`, `least_time`", true, true, true

	in := func(blocks int, name string) farm {
		return farm{name: name, addresses: max(20, 4*blocks), blocks: blocks, hashes: plenty * coreHashes}
	}
	with := func(f farm, name string, change func(*farm)) farm {
		f.name = name
		change(&f)
		return f
	}
	one, ten, hundred := in(1, "in 1 block"), in(10, "in 10 blocks"), in(100, "in 100 blocks")
	cores := func(n float64) func(*farm) { return func(f *farm) { f.hashes = n * coreHashes } }
	return []scene{
		{none, ten, doors},
		{address, with(one, "1 address", func(f *farm) { f.addresses = 1 }), doors},
		{address, with(ten, "20 addresses", func(f *farm) { f.addresses = 20 }), doors},
		{wide, one, doors}, {wide, ten, doors}, {wide, hundred, doors},
		{tight, one, doors}, {tight, ten, doors}, {tight, hundred, doors},
		{account, with(ten, "500 accounts", func(f *farm) { f.accounts = 500 }), doors},
		{account, with(ten, "5,000 accounts", func(f *farm) { f.accounts = 5000 }), doors},
		{proof, with(ten, "a program that solves nothing", func(f *farm) { f.hasty = true }), doors},
		{proof, with(ten, "1 core", cores(1)), doors},
		{proof, with(ten, "1 machine of 8 cores", cores(machine)), doors},
		{proof, with(ten, "1 core, doors open for 2 minutes", cores(1)), 2 * time.Minute},
		{proof, with(ten, "1 machine, doors open for 2 minutes", cores(machine)), 2 * time.Minute},
		{proof, with(ten, "10 machines, doors open for 2 minutes", cores(10*machine)), 2 * time.Minute},
		{least, with(ten, "a program that does not wait", func(f *farm) { f.hasty = true }), doors},
		{least, with(ten, "one that waits", func(*farm) {}), doors},
		{all, with(ten, "10 blocks, 500 accounts, 10 machines", func(f *farm) { f.accounts, f.hashes = 500, 10*machine*coreHashes }), doors},
		{all, with(one, "1 block, 500 accounts, 1 machine", func(f *farm) { f.accounts, f.hashes = 500, machine*coreHashes }), doors},
	}
}
