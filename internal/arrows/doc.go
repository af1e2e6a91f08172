// Package arrows keeps the directions in which the packages of this module may
// import each other, and keeps unfinished work out of the tree. It holds tests
// only; nothing imports it.
package arrows
