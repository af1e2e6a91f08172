// Package wiring puts the packages together into the two programs, as values
// that commands run and tests start. It is the only place that knows both the
// proxy and the ledger.
package wiring
