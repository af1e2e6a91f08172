// Package static owns what a shopper sees of the waitroom itself: one page for
// each standing a shopper can have, in words, colours and behaviour.
//
// It turns a Page and a View into bytes. It never answers a request, reads a
// clock, or decides who sees what.
//
// Invariants: each page is one document that needs nothing but itself and, with
// script, the shared status of its sale; it says the same without script; every
// text from outside is escaped; style and script are the same bytes on all pages of a
// kind, so that one content policy with their hashes fits them; what few ask of a page
// comes to those who do, and is the same for ever under its name.
package static
