//go:build race

package testserver

func init() { buildFlags = append(buildFlags, "-race") }
