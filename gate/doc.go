// Package gate takes and gives back a sale's stock in Redis.
//
// It owns the fast copy of the stock, the receipts of the units that are out,
// and the stream of winners on their way to the ledger. It never knows who may
// buy (the line does) and never decides what an order becomes (the ledger
// does). Every change is one Lua script on one hash slot: it happens whole or
// not at all.
//
// Its invariants: stock + units of all receipts = total, with a stock below zero,
// which sells nothing, while more is out than there is; a unit is given back by
// whoever removes its receipt, and by nobody else; a gate that is missing, closed
// or older than one already seen sells nothing until it is rebuilt from the
// ledger.
package gate
