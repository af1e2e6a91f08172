// Package shedding says no: early, cheaply and only when it is true.
//
// It owns what each answer rests on that turns a shopper away before anything
// costly happens: a [Limiter] for those who press too often, a [Latch] for a
// sale with nothing left, and a [Tail] for places so far back that they cannot
// win.
//
// It never talks to a network, a store or a clock: instants, counts and looks
// at the gate are handed in.
//
// Invariants: what is kept for a limit never exceeds what it was made for;
// forgetting a key is always in that key's favour, and costs those of its kind when
// there is no room; a wait that is told is never longer than the wait there is;
// nobody is called hopeless in doubt.
package shedding
