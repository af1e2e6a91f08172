package main

import (
	"syscall"
	"time"
)

// nap is shorter than a timer of the runtime can be, which waits whole milliseconds when
// nothing else is to be done.
func nap() {
	short := syscall.NsecToTimespec(int64(50 * time.Microsecond))
	_ = syscall.Nanosleep(&short, nil) // interrupted, it is shorter yet
}
