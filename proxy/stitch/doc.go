// Package stitch packs pages with gzip (RFC 1952) of which most is the same in all.
//
// A page of ours is some thirty or forty kilobytes of style, script and texts that every shopper
// of a sale gets, and a few that are one shopper's. What is the same is packed once, as
// deflate blocks that end at a byte and refer to nothing before them (RFC 1951, 3.2.4:
// an empty stored block is what ends them so), and put between what is packed for each.
// The checksum is that of the whole. So to pack a page costs what its own few kilobytes
// cost.
//
// Packing lets the length of an answer tell what its parts have in common, and where a
// secret stands beside what somebody else chose, that somebody can find it out by
// trying (the attack called BREACH). So what the caller says is secret is not packed at
// all; the rest refers to itself and to what everybody gets.
package stitch
