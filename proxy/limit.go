package proxy

import (
	"math"
	"net/netip"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/shedding"
)

// limit is one of the operator's limits, of which each key has a bucket.
type limit struct {
	name    string // in records and metrics
	section configs.Limit
	burst   int
	buckets *shedding.Limiter
}

// maker makes a limiter, as shedding.NewLimiter does.
type maker func(l configs.Limit, burst, keys int) *shedding.Limiter

// again is the limit with what it has counted, if it is still the same, or else anew.
func (l limit) again(name string, section configs.Limit, burst int, buckets maker) limit {
	if l.name == name && l.section == section && l.burst == burst {
		return l
	}
	return limit{name: name, section: section, burst: burst, buckets: buckets(section, burst, limitKeys)}
}

// worth is again with a burst of so many seconds' worth, one at least.
func (l limit) worth(name string, section configs.Limit, seconds float64, buckets maker) limit {
	burst := 1
	if section.Rate.Per > 0 { // else it is off
		burst = max(1, int(math.Round(section.Rate.PerSecond()*seconds)))
	}
	return l.again(name, section, burst, buckets)
}

// key is that of an address, where it is counted.
func (l limit) key(addr netip.Addr) string {
	if l.buckets == nil {
		return ""
	}
	return shedding.AddressKey(addr)
}
