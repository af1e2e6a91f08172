// Package crowd sends shoppers to a sale: over real connections, through the
// front door, each a small state machine that does what its answers tell it.
//
// It speaks HTTP and knows nothing of what stands behind it, so that whatever
// it reports was seen from outside. Its shoppers come from addresses of their
// own, keep their cookies, come back when told and not sooner, press twice,
// lose connections, walk away with a unit in the basket, and each ends as
// exactly one of: paid, held, told no, unanswered.
package crowd
