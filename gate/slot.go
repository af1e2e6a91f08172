package gate

import "fmt"

// slots is how many hash slots a Redis Cluster has.
const slots = 16384

// spellings is how many names are tried for a bucket. The best of them is within
// some sixty slots of where the bucket should be.
const spellings = 128

// Tag is the hash tag of a bucket's keys, which decides on which node of a Cluster
// it is. Names that differ in a digit have slots close to each other, and a Cluster
// gives each node a run of slots; so of several spellings of a bucket's name the one
// is taken whose slot is nearest to the bucket's place. The places follow the first
// bucket's at steps of the golden ratio, which spreads any number of them evenly
// (Knuth, The Art of Computer Programming, vol. 3, section 6.4, theorem S).
func Tag(sale string, bucket int) string {
	first := fmt.Sprintf("gate:%s/0", sale)
	if bucket == 0 {
		return first
	}
	const golden = 10125 // slots / 1.618…, and odd
	place := (slot(first) + golden*bucket) % slots
	best, nearest := "", slots
	for i := range spellings {
		tag := fmt.Sprintf("gate:%s/%d.%d", sale, bucket, i)
		ahead := (slot(tag) - place + slots) % slots
		if apart := min(ahead, slots-ahead); apart < nearest {
			best, nearest = tag, apart
		}
	}
	return best
}

// slot is the hash slot of a tag: CRC-16 with the polynomial 0x1021, most
// significant bit first, from 0, as the Redis Cluster specification says.
func slot(tag string) int {
	var crc uint16
	for i := range len(tag) {
		crc ^= uint16(tag[i]) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return int(crc) % slots
}
