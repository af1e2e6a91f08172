package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// The cores that the two sides have for themselves, as far as this run goes.
const (
	serversCore    = 0
	generatorsCore = 1
)

// stay keeps this process, and all that it starts, on one core. It is false where the
// machine has no two, or no taskset.
func stay(core int) bool {
	if runtime.NumCPU() < 2 {
		return false
	}
	return exec.Command("taskset", "-a", "-c", "-p", strconv.Itoa(core), strconv.Itoa(os.Getpid())).Run() == nil
}

// processCPU is how long the threads of a process have run, user and system together, in
// nanoseconds: the first number of each thread's schedstat, see sched-stats in the
// kernel's documentation. The servers end no threads while they are asked.
func processCPU(pid int) (sum time.Duration, err error) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid)) // the pattern is right
	if len(threads) == 0 {
		return 0, fmt.Errorf("read CPU time of process %d: the kernel tells none", pid)
	}
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			return 0, fmt.Errorf("read CPU time: %w", err)
		}
		var ran time.Duration
		if _, err := fmt.Sscan(string(text), &ran); err != nil {
			return 0, fmt.Errorf("read CPU time: %w", err)
		}
		sum += ran
	}
	return sum, nil
}

// kernelMemory is what the kernel holds that it cannot give back, and the buffers of
// sockets, in bytes, for the whole machine.
func kernelMemory() (int64, error) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, fmt.Errorf("read kernel memory: %w", err)
	}
	_, after, _ := strings.Cut(string(text), "SUnreclaim:")
	var kilobytes int64
	if _, err := fmt.Sscan(after, &kilobytes); err != nil {
		return 0, fmt.Errorf("read kernel memory: %w", err)
	}
	return kilobytes << 10, nil
}
