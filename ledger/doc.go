// Package ledger keeps the books of a sale and runs the worker that fills them.
//
// It owns the orders, their moves, the money that was reported for them and the
// journal of all that; and it owns the order of things between the books and
// the gate. It never serves a shopper, and never lets the gate decide what an
// order becomes: where the two differ, the books win.
//
// Its invariants: 0 ≤ sold ≤ total, and sold is the sum of the units of live
// orders, kept by a constraint and by the same transaction; a reservation is one
// order at most; an account has one live order in a sale; every move of a unit
// or of money has its journal row in the same transaction; a winner is
// acknowledged only after the commit that settled it; units go back to the gate
// only after the books have let go of them, and released_at records it.
package ledger
