package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/waitroom/waitroom/internal/testserver"
)

const (
	nginx   = "nginx"
	haproxy = "haproxy"
	caddy   = "caddy"
)

// peer is how one of them is run: its settings, which are written to a file, and the
// arguments that name it.
type peer struct {
	settings func(st *stage, at string, samples []sample) string
	args     func(file string) []string
	tells    []string // command that tells the version of the program, which is its last argument
	version  string   // pattern of it
}

var peers = map[string]peer{
	nginx: {nginxSettings, func(file string) []string { return []string{"-c", file} },
		[]string{"sh", "-c", `"$0" -v`}, `nginx/([\d.]+)`},
	haproxy: {haproxySettings, func(file string) []string { return []string{"-db", "-f", file} },
		[]string{"sh", "-c", `"$0" -v`}, `version ([\d.]+)`},
	caddy: {caddySettings, func(file string) []string { return []string{"run", "--adapter", "caddyfile", "--config", file} },
		[]string{"go", "version", "-m"}, `caddyserver/caddy/v2\s+v([\d.]+)`},
}

// peersNamed reads a list, in which each has to be there.
func peersNamed(list string) (all []string, err error) {
	if list == "" {
		return nil, nil
	}
	for name := range strings.SplitSeq(list, ",") {
		if _, ok := peers[name]; !ok {
			return nil, fmt.Errorf("-peers: there is no %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(peers)), ", "))
		}
		if _, err := exec.LookPath(name); err != nil && name != caddy {
			return nil, fmt.Errorf("-peers: %s is not installed: run .ci/deps answers, or name others", name)
		}
		all = append(all, name)
	}
	return all, nil
}

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

func (st *stage) programOf(name string) string {
	if name == caddy {
		return filepath.Join(st.dir, caddy)
	}
	return name
}

// openPeer starts one that gives the samples, and passes on what else it is asked.
func (st *stage) openPeer(name string, p peer, samples []sample) (*server, error) {
	if err := os.MkdirAll(st.html(), 0o700); err != nil {
		return nil, err
	}
	for _, s := range samples {
		if err := os.WriteFile(filepath.Join(st.html(), s.name), s.body, 0o600); err != nil {
			return nil, err
		}
	}
	at, file := testserver.FreeAddress(st.owner), filepath.Join(st.dir, name+".conf")
	if err := os.WriteFile(file, []byte(p.settings(st, at, samples)), 0o600); err != nil {
		return nil, err
	}
	s := st.program(name, at, testserver.Listens(at), st.programOf(name), p.args(file)...)
	return s, s.Start()
}

// html is the folder of the samples' bodies.
func (st *stage) html() string { return filepath.Join(st.dir, "html") }

// nginxSettings: one process, files kept open, and what is no page straight from the
// settings, which is the cheapest that there is.
func nginxSettings(st *stage, at string, samples []sample) string {
	var b strings.Builder
	fmt.Fprintf(&b, `daemon off; master_process off; error_log stderr crit; pid %[1]s/nginx.master; worker_rlimit_nofile 20000;
events { worker_connections 19000; multi_accept on; }
http { access_log off; keepalive_requests 1000000000; keepalive_timeout 300s; open_file_cache max=100 inactive=1h; open_file_cache_valid 1h;
client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256; ssl_ecdh_curve X25519; ssl_session_cache shared:S:10m;
upstream origin { server %[2]s; keepalive 256; keepalive_requests 1000000000; }
server { listen %[3]s ssl http2 backlog=4096; ssl_certificate %[4]s; ssl_certificate_key %[5]s;
add_header Cache-Control no-store always;
location / { proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host; }
`, st.dir, st.origin, at, st.cert, st.key)
	for _, s := range samples {
		fmt.Fprintf(&b, "location = %s { default_type '%s'; ", s.path, s.kind)
		if s.encoding != "" {
			fmt.Fprintf(&b, "add_header Content-Encoding %s; add_header Cache-Control no-store; ", s.encoding)
		}
		if s.page {
			fmt.Fprintf(&b, "alias %s; }\n", filepath.Join(st.html(), s.name))
		} else {
			fmt.Fprintf(&b, "return %d '%s'; }\n", s.status, s.text())
		}
	}
	return b.String() + "} }\n"
}

// text is a body between single quotes; ours have none in JSON, and no dollar.
func (s sample) text() string { return strings.NewReplacer(`'`, `"`, `$`, `S`).Replace(string(s.body)) }

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
