//go:build !linux

package main

import "time"

func nap() { time.Sleep(50 * time.Microsecond) }
