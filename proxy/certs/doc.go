// Package certs holds what the public listener proves itself with: certificates
// from an ACME server, from files or from a CA of our own, and the keys of
// session tickets, which all edges share.
package certs
