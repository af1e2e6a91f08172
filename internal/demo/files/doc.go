// Package files writes the two files of a waitroom that stands on loopback for
// a demo or a measurement. They are files like any other: nothing in them is
// beyond what a shop could write.
package files
