// Package gate takes and gives back a sale's stock in Redis.
//
// It owns the fast copy of the stock, the receipts of the units that are out,
// and the stream of winners on their way to the ledger. It never knows who may
// buy (the line does) and never decides what an order becomes (the ledger
// does). Every change is one Lua script on one hash slot: it happens whole or
// not at all. No script works for longer than a few milliseconds, whatever a sale's
// size: what is long, as a rebuild, goes in parts, and opens last.
//
// Its invariants: stock + units of all receipts = total, with a stock below zero,
// which sells nothing, while more is out than there is; a unit is given back by
// whoever removes its receipt, and by nobody else; a gate that is missing, closed
// or older than one already seen sells nothing until it is rebuilt from the
// ledger. Each script is told what was seen, and says what it leaves.
//
// # Buckets
//
// A sale's stock can be split in buckets, each on a slot of its own. All that is
// of an account, its receipts, notes and winners, is in its home bucket (see Home),
// and the invariants above hold in each. Of several buckets these hold besides:
//
//   - The totals of all buckets and the units in transit between them make the
//     sale's total, which the first bucket has. A transfer is a numbered record at
//     its donor until its receiver has credited that number, so that at any crash
//     each unit is in exactly one of the two, and anybody can end it.
//   - ErrSoldOut, and a look that offers nothing, are of one moment at which all
//     buckets and all transfers together had nothing, or less than was asked for.
//   - A ticket has one reservation at a time, also when two accounts show it: the
//     ticket's home says which account may use it, and the account that had it
//     before is fenced in its own home before another gets it. A reserve that was
//     under way meanwhile either was there first, or finds the fence or a later epoch.
//   - All buckets are of one rebuild: none opens before all are rebuilt. One that is
//     missing, closed, of another rebuild or older than it was seen closes the gate
//     to whoever looks, and the next rebuild is of all of them. Until somebody has
//     looked, the others sell on; what they sell is in their receipts and streams.
//
// What a node forgets that was neither seen by any Gate nor told to the ledger is
// forgotten, as with one bucket. A transfer that a donor alone forgot, or a receiver
// all but the last one, shows in the other bucket, and whoever looks closes the gate;
// what else does not add up closes it when Mend compares. A ticket may be used twice.
// The ledger refuses what it has not.
//
// A key of another type, or a field that is no number, closes the gate as well: what
// is damaged goes, and the next rebuild is of the ledger.
package gate
