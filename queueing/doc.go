// Package queueing is the line: who stands where, and whose turn it is.
//
// It owns tickets and passes and their signatures, the draw that turns arrival
// numbers into places, the head that moves over those places, and the one
// token bucket from which every pass is taken. It never speaks HTTP, never
// touches stock, and keeps nothing for a shopper who waits: Redis holds one
// small hash for each sale, one bit for each place or invitation that claimed its
// pass, a small record for each account that entered, and for some minutes each
// proof that was used and, where passes are matched to units, each pass; of a room
// the tickets that brought somebody in, who was released, and with a bound a seat for
// each shopper inside.
//
// Its invariants:
//
//   - Passes issued in any interval t are at most burst + rate × t, over all
//     edges, whatever restarts, pauses or reloads meanwhile. The bucket starts
//     empty, and a bucket that Redis forgot is empty again.
//   - The draw is a bijection, fixed by a seed that was committed to before the
//     doors opened, by the count at the moment of opening and, where the sale
//     names one, by the first public value that is given. A place never changes
//     and the head never goes back. If Redis forgets and an edge that has not heard
//     of the draw speaks first, it draws again; the older draw holds, as soon as an
//     edge speaks that has heard of it.
//   - Who was put behind the draw stands behind all who are in it and before all who
//     enter later, at a place that follows from the count and their number.
//   - An account has one number, and a proof gives one, over all edges; beyond what
//     Redis forgot.
//   - Where passes are matched to units, no more of them are unused than the gate has
//     units left, however old the looks of the edges are, unless something else takes
//     units.
//   - While a room is armed nobody who arrives overtakes one who waits, and those
//     inside are never more than its bound, beyond what Redis forgot, and beyond
//     those who show their pass for the first time a minute after it was given. One
//     ticket brings in one pass, and one that was released is worth nothing.
//   - A number is given once, also after Redis forgot: each edge remembers the
//     highest one it has seen and says so in every call, and where that is higher
//     than what Redis has, none is given before all who tick have spoken. Not kept
//     is what an edge gave that is cut off just then, or what was given by an older
//     copy of Redis before an edge spoke that remembers more. Where nobody
//     remembers, another line begins, and tickets and passes of the one before are
//     void.
//   - A field of the line that holds what it cannot hold is as if forgotten.
//
// One clock decides, that of Redis. An edge's own clock is never compared with
// an instant of the sale.
package queueing
