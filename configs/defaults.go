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
	minHold        = time.Second
	maxHold        = 24 * time.Hour
	maxDoors       = 31 * 24 * time.Hour
	maxMix         = 200 // bytes
	maxOpen        = 92 * 24 * time.Hour
)

var maxRate = Rate{100_000, time.Second}

func defaultConfig(file string) *Config {
	return &Config{
		File:    file,
		Listen:  Listen{HTTPS: ":443", HTTP: ":80", Admin: "127.0.0.1:9180"},
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
			Body:           4 << 30,
			Header:         32 << 10,
			AddressJoin:    Limit{Rate: Rate{300, time.Minute}},
			AddressRequest: Limit{Rate: Rate{200, time.Second}},
			DeviceBuy:      Limit{Rate: Rate{5, time.Second}},
			AccountBuy:     Limit{Rate: Rate{2, time.Second}},
		},
	}
}

func hostname() string {
	if name, err := os.Hostname(); err == nil && name != "" {
		return name
	}
	return "waitroom"
}

func defaultSale(file string) *Sale {
	return &Sale{File: file, Buckets: 1, PerAccount: 1, Hold: 10 * time.Minute, LatePayment: Rehold}
}
