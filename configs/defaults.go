package configs

import (
	"os"
	"path/filepath"
	"time"
)

// What is in force where a file says nothing, but for the burst, which follows
// from the rate (Rate.Burst), and the bounds of what a sale may say. The bounds
// of the operator's numbers stand in their rules.

const (
	defaultDoors  = 30 * time.Minute // before the opening of a repeating sale
	defaultCloses = 2 * time.Hour    // after it
)

const (
	maxStock       = 1_000_000_000
	maxBuckets     = 64
	maxPerAccount  = 10_000 // the most that the ledger takes of one winner
	maxBurst       = 1_000_000
	maxInvitations = 1_000_000
	maxLinePerUnit = 1_000_000
	minHold        = time.Second
	maxHold        = 24 * time.Hour
	maxDoors       = 31 * 24 * time.Hour
	maxMix         = 200 // bytes
	maxOpen        = 92 * 24 * time.Hour
)

var (
	minRate = Rate{1, time.Minute}
	maxRate = Rate{100_000, time.Second}
)

func defaultConfig(file string) *Config {
	return &Config{
		File:    file,
		Listen:  Listen{HTTPS: ":443", HTTP: ":80", Admin: "127.0.0.1:9180", Express: true},
		DataDir: filepath.Join(filepath.Dir(file), "data"),
		Worker: Worker{
			Listen:          "127.0.0.1:9190",
			Name:            hostname(),
			OrdersPerSecond: 500,
			MaxBacklog:      10_000,
		},
		Origin: Origin{Timeout: 60 * time.Second},
		Cache:  Cache{Size: 256 << 20},
		Limits: Limits{
			Body:    4 << 30,
			Header:  32 << 10,
			Address: Rates{Join: perMinute(300), Claim: perSecond(100), Buy: perSecond(100), Request: perSecond(200)},
			Device:  Rates{Claim: perSecond(5), Buy: perSecond(5), Request: perSecond(5)},
			Account: Rates{Join: perMinute(30), Claim: perSecond(5), Buy: perSecond(2), Request: perSecond(20)},
			Block:   Block{Join: limitOff, Burst: 1000},
		},
		Bots: Bots{Suspicious: Behind},
	}
}

func perSecond(n int) Limit { return Limit{Rate: Rate{n, time.Second}} }

func perMinute(n int) Limit { return Limit{Rate: Rate{n, time.Minute}} }

func hostname() string {
	if name, err := os.Hostname(); err == nil && name != "" {
		return name
	}
	return "waitroom"
}

func defaultSale(file string) *Sale {
	return &Sale{File: file, Buckets: 1, PerAccount: 1, Hold: 10 * time.Minute, LatePayment: Rehold,
		Shed: Shed{Certainty: 0.999}, Conversion: 0.1}
}
