package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// haproxySettings: one thread, and all bodies in memory, as it has them.
func haproxySettings(st *stage, at string, samples []sample) string {
	var b strings.Builder
	pem := filepath.Join(st.dir, "haproxy.pem")
	_ = joinFiles(pem, st.cert, st.key) // it says so itself
	fmt.Fprintf(&b, `global
  nbthread 1
  maxconn 19000
  no strict-limits
  tune.bufsize 32768
  tune.ssl.default-dh-param 2048
  ssl-default-bind-ciphersuites TLS_AES_128_GCM_SHA256
  ssl-default-bind-options ssl-min-ver TLSv1.3
defaults
  mode http
  timeout connect 10s
  timeout client 300s
  timeout server 60s
  timeout http-keep-alive 300s
  http-reuse always
frontend front
  bind %s ssl crt %s curves X25519 alpn h2,http/1.1 backlog 4096
`, at, pem)
	for _, s := range samples {
		extra := ""
		if s.encoding != "" {
			extra = " hdr Content-Encoding " + s.encoding
		}
		fmt.Fprintf(&b, "  http-request return status %d content-type %q file %s hdr Cache-Control no-store%s if { path %s }\n",
			s.status, s.kind, filepath.Join(st.html(), s.name), extra, s.path)
	}
	fmt.Fprintf(&b, "  default_backend origin\nbackend origin\n  server origin %s\n", st.origin)
	return b.String()
}

func joinFiles(to string, from ...string) error {
	var all []byte
	for _, name := range from {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		all = append(all, text...)
	}
	return os.WriteFile(to, all, 0o600)
}
