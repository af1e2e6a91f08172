// Package storefront is a small real shop, for the demo, the benchmark and the
// tests: a product page with a button, a login, a checkout and a way to pay.
//
// It comes in two kinds. Behind waitroom it never sells the golden toy itself:
// the edge answers the button, and the shop hears of a reservation when its
// owner comes to pay. Guarded, it stands alone and sells with a guarded update
// inside a long transaction, which is the way that breaks when a crowd comes.
//
// It knows waitroom by HTTP only, as any shop would, and trusts nothing that a
// shopper sends it beyond the reservation's name.
package storefront
