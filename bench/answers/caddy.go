package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// buildCaddy builds the release that peers/go.mod names.
func buildCaddy(ctx context.Context, dir string) error {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("find go.mod: %w", err)
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-modfile", filepath.Join(strings.TrimSpace(string(root)), "bench/answers/peers/go.mod"),
		"-o", filepath.Join(dir, caddy), "github.com/caddyserver/caddy/v2/cmd/caddy")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build caddy: %w\n%s", err, said)
	}
	return nil
}

// caddySettings: files, and what is no page straight from the settings.
func caddySettings(st *stage, at string, samples []sample) string {
	var b strings.Builder
	_, port, _ := strings.Cut(at, ":")
	fmt.Fprintf(&b, `{
	admin off
	auto_https off
	persist_config off
	grace_period 1s
	log {
		level ERROR
	}
}
https://%s:%s {
	bind 127.0.0.1
	tls %s %s {
		protocols tls1.3
		curves x25519
	}
	header Cache-Control no-store
	root * %s
`, shop, port, st.cert, st.key, st.html())
	for _, s := range samples {
		fmt.Fprintf(&b, "\thandle %s {\n\t\theader Content-Type %q\n", s.path, s.kind)
		if s.encoding != "" {
			fmt.Fprintf(&b, "\t\theader Content-Encoding %s\n", s.encoding)
		}
		if s.page {
			fmt.Fprintf(&b, "\t\trewrite * /%s\n\t\tfile_server\n\t}\n", s.name)
		} else {
			fmt.Fprintf(&b, "\t\trespond `%s` %d\n\t}\n", strings.TrimSpace(string(s.body)), s.status)
		}
	}
	fmt.Fprintf(&b, "\thandle {\n\t\treverse_proxy %s {\n\t\t\ttransport http {\n\t\t\t\tkeepalive_idle_conns_per_host 256\n\t\t\t}\n\t\t}\n\t}\n}\n", st.origin)
	return b.String()
}
