package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
)

// machine says where this was measured, and with what.
func machine(st *stage, o options, pinned bool) string {
	where := "the servers on one core, who asks on another"
	if !pinned {
		where = "nothing kept to a core"
	}
	return fmt.Sprintf("%s, %d cores, Linux %s, %s; %s; %s. %d connections, TLS 1.3 with X25519, AES-128-GCM and ECDSA P-256, %d rounds of %v each; load at the start: %s.",
		processor(), runtime.NumCPU(), said(`^(\S+)`, "uname", "-r"), runtime.Version(), strings.Join(st.versions, ", "), where,
		o.connections, o.rounds, o.span, load())
}

func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	_, after, _ := strings.Cut(string(text), "model name")
	name, _, _ := strings.Cut(after, "\n")
	return strings.Trim(name, " \t:")
}

func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	one, _, _ := strings.Cut(string(text), " ")
	return one
}

// said is what a pattern's group finds in the output of a command; a question mark where
// it finds nothing.
func said(pattern, program string, args ...string) string {
	out, _ := exec.Command(program, args...).CombinedOutput()
	if found := regexp.MustCompile(pattern).FindSubmatch(out); found != nil {
		return string(found[1])
	}
	return "?"
}
