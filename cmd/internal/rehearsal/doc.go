// Package rehearsal plays a whole sale in virtual time: a crowd of any size meets
// the real line, the real gate and the real verdicts on a Redis inside the
// process, and nobody waits for a clock.
//
// It owns the crowd: when shoppers press, look away, come back, buy and pay. It
// decides nothing about the sale; every number, place, pass and unit comes from
// queueing, shedding and gate. It opens no socket, reads no clock, and plays the
// same sale, the same options and the same seed the same way, on every machine:
// where a product meets a sum, a conversion keeps the two from being fused.
//
// What waiting pages ask again and again is counted by arithmetic. Only what can
// change a shopper's lot is played: pressing, looking when there is something new
// to see, claiming, buying, paying.
//
// While it plays it holds the sale to its promises, see Check.
package rehearsal
