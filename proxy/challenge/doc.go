// Package challenge is what is asked of who wants a ticket: a signed text to be
// shown again within five minutes, with work done on it.
//
// It makes, signs and judges challenges. It never answers a request, reads a
// clock or keeps what it has given: all that a challenge says is in it, so any
// edge that shares the secrets can judge what another one gave. That each is
// used once is for others to see to, by its ID.
//
// Invariants: a text that was not signed here for this sale costs one HMAC for
// each secret and nothing else; work counts for one challenge alone, so none can
// be done before it is given; how much is asked stands in the challenge, and
// nobody but the signer can lower it.
package challenge
