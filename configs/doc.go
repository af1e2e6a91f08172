// Package configs reads the two kinds of file that waitroom is told things in:
// the operator's waitroom.yaml and marketing's sale files.
//
// It owns every default, every rule about a key and every environment lookup.
// It never opens a socket and knows no other package of the house. If you hold
// a [Config], every rule has been checked and nothing in it changes any more;
// nobody checks again.
package configs
