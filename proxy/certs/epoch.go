package certs

import (
	"time"
)

// past is how many epochs' keys open session tickets after their own is over.
const past = 3

// A key seals and opens session tickets.
type key = [32]byte

// epochAt is the number of an epoch of a length at an instant.
func epochAt(now time.Time, length time.Duration) int64 {
	return now.UnixNano() / int64(length)
}

// epochEnd is when an epoch is over.
func epochEnd(epoch int64, length time.Duration) time.Time {
	return time.Unix(0, (epoch+1)*int64(length))
}

// ring is the keys in the order in which [crypto/tls.Config.SetSessionTicketKeys]
// wants them: the one that seals first. It is that of the epoch, the shared one
// where it is known. The next epoch's opens as well, for the sake of edges whose
// clock is ahead, and so do the past ones' and those of our own that were used
// while the shared ones were not known.
func ring(epoch int64, shared, own map[int64]key) []key {
	var keys []key
	for _, e := range []int64{epoch, epoch + 1, epoch - 1, epoch - 2, epoch - past} {
		if k, ok := shared[e]; ok {
			keys = append(keys, k)
		}
		if k, ok := own[e]; ok {
			keys = append(keys, k)
		}
	}
	return keys
}
