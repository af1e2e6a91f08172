package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

const (
	shop = "shop.example.com"
	page = "/toys/golden"
)

// text is the page, of the length of a small one.
var text = "<!doctype html><title>Golden toy</title>" + strings.Repeat("<p>half price</p>", 200)

// subject is one server that is measured.
type subject struct {
	name   string
	at     string // of HTTPS
	health string // of the admin address; empty: none
	*testserver.Program
}

func openWaitroom(t testserver.Owner, program, dir, cert, key string) (*subject, error) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Cache-Control", "public, max-age=600")
		_, _ = fmt.Fprint(w, text)
	}))
	t.Cleanup(origin.Close)
	s := &subject{name: "waitroom", at: testserver.FreeAddress(t), health: testserver.FreeAddress(t)}
	dir = filepath.Join(dir, "waitroom.d")
	operator := fmt.Sprintf(`listen: {https: '%s', http: off, admin: '%s'}
tls: {mode: files, domains: [%s], files: [{cert: '%s', key: '%s'}]}
origin: {url: '%s'}
data_dir: data
secret: 'the-secret-of-the-benchmark, of 32 bytes or more'
limits: off
sales: [sale.yaml]
`, s.at, s.health, shop, cert, key, origin.URL)
	day := func(d time.Duration) string { return time.Now().UTC().Add(d).Format("2006-01-02 15:04:05") }
	sale := fmt.Sprintf("sale: golden-toy\ntitle: Golden toy\ntimezone: UTC\ndoors: %s\nopens: %s\ncloses: %s\nproduct_page: %s\nbuy: POST %s/buy\ncheckout: /checkout?reservation={reservation}\nstock: 10\nadmit: 100/s\n",
		day(-time.Hour), day(-time.Minute), day(time.Hour), page, page)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"waitroom.yaml": operator, "sale.yaml": sale} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	s.Program = testserver.NewProgram(t, testserver.Healthy(s.health), program, "run", "--config", filepath.Join(dir, "waitroom.yaml"), "--linger", "0s")
	return s, s.Start()
}

func openNginx(t testserver.Owner, dir, cert, key string) (*subject, error) {
	s := &subject{name: "nginx", at: testserver.FreeAddress(t)}
	conf := filepath.Join(dir, "nginx.conf")
	root := filepath.Join(dir, "html")
	settings := fmt.Sprintf(`daemon off; error_log stderr crit; pid %[1]s/nginx.pid; worker_processes auto; worker_rlimit_nofile 20000;
events { worker_connections 9000; multi_accept on; }
http { access_log off; default_type text/html; client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
keepalive_requests 1000000; ssl_session_cache shared:S:10m;
server { listen %[2]s ssl backlog=4096; ssl_certificate %[3]s; ssl_certificate_key %[4]s; root %[5]s; } }
`, dir, s.at, cert, key, root)
	if err := os.MkdirAll(filepath.Join(root, filepath.Dir(page)), 0o755); err != nil { //nolint:gosec // nginx's workers read it as somebody else
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // so it is
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(root, page), []byte(text), 0o644); err != nil { //nolint:gosec // so it is
		return nil, err
	}
	if err := os.WriteFile(conf, []byte(settings), 0o600); err != nil {
		return nil, err
	}
	s.Program = testserver.NewProgram(t, testserver.Listens(s.at), "nginx", "-c", conf)
	return s, s.Start()
}
