// Package certs holds what the public listener proves itself with: certificates
// from an ACME server, from files or from a CA of our own, and the keys of
// session tickets.
//
// A [Keeper] looks after one listener's, under one configuration after another.
// What it serves is a picture in memory that is replaced whole: no handshake
// waits for a disk, a store or an issuer, except the handshakes and requests by
// which an ACME server asks for proof. Nothing is ever ordered because somebody
// asked for a name.
//
// Edges with one Redis share what they order, the locks and pauses around it, and
// the keys of session tickets, all sealed under the configured secrets: who reads
// Redis learns no key.
package certs
