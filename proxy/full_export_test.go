package proxy

import (
	"strconv"
	"time"
)

// FillLimits lets each limit of an edge count more keys than it can keep, and says how many
// there are then.
func (e *Edge) FillLimits() (keys int) {
	now := time.Now()
	for _, one := range e.house.Load().limits.all() {
		for i := range limitKeys + limitKeys/2 {
			one.buckets.Allow(one.name+strconv.Itoa(i), now)
		}
		keys += one.buckets.Len()
	}
	return keys
}
