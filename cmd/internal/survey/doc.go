// Package survey asks the stores whether they are fit to keep a sale, and says
// what is not in words that an operator can act on.
//
// It owns what a fit Redis and a fit Postgres are. It changes neither: what it
// writes to find out what may be written is gone when it returns. Facts are read
// in one place and judged in another, which asks nobody. What cannot be asked,
// because a hosted store forbids it, is said and is no fault.
package survey
