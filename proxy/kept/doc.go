// Package kept keeps what somebody chose, in that somebody's own browser: the fields
// of a buy that was pressed before its turn, until the turn comes, and then those that
// go along to the checkout.
//
// A form may hold an address or a secret of the shop's own, and a browser may be one
// of many people's. So what is kept is sealed: nobody but an edge reads or makes it,
// it is worth something in one run of one sale only, and it says whose it is, for the
// next of them who uses the browser. Nothing is kept on any edge.
//
// The package knows nothing of HTTP, of sales or of lines.
package kept
