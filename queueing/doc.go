// Package queueing is the line: who stands where, and whose turn it is.
//
// It owns tickets and passes and their signatures, the draw that turns arrival
// numbers into places, the head that moves over those places, and the one
// token bucket from which every pass is taken. It never speaks HTTP, never
// touches stock, and keeps nothing for a shopper who waits: Redis holds one
// small hash for each sale, one bit for each place or invitation that claimed
// its pass, and only where an account has one ticket a small record for each;
// of a room with a bound a seat for each shopper inside.
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
//   - While a room is armed nobody who arrives overtakes one who waits, and those
//     inside are never more than its bound, beyond what Redis forgot.
//   - A number is given once, also after Redis forgot: each edge remembers the
//     highest one it has seen and says so in every call. Where nobody remembers,
//     another line begins, and tickets and passes of the one before are void.
//
// One clock decides, that of Redis. An edge's own clock is never compared with
// an instant of the sale.
package queueing
