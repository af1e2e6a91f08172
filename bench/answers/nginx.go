package main

import (
	"fmt"
	"path/filepath"
	"strings"
)

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
