// Package places decides who may be at the origin now, and who comes next.
//
// It owns how many requests may be there at once, which follows from how fast the
// origin answers; and the line of those for whom there is no place, by what they
// came for. It knows nothing of HTTP and sends nothing: what a request is, and what
// is said to who finds no place, is decided in package proxy.
//
// It holds to these: nobody waits while there is a place; a place is given back
// once, however a request ends; who waits is told within a stated time; each class
// gets its share, whatever the others do; and nobody keeps a place only because a
// client is slow.
package places
