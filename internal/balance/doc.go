// Package balance holds the books of a sale, in which nothing is on its way, to
// each other, to its gate and to the stock that it began with. It is for tests: it
// reads the tables by SQL of its own, so that no mistake of the ledger hides itself.
package balance
