package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/bench/internal/programs"
	"github.com/waitroom/waitroom/internal/testserver"
)

const (
	shop     = "shop.example.com"
	token    = "the-token-of-the-benchmark"
	crowd    = 60  // entries of each sale
	longLine = 500 // and more of the one in which people wait

	flooding = "flood" // the account that is above its limit

	startsWithin = 8 * time.Second // the programs, and the crowd's entries
)

// sales are one of which all is held, one with a hopeless tail, and one with a long
// line and plenty for all of it.
var sales = map[string]string{
	"held":     "stock: 1\nadmit: 1000/s\nhold: 1h\n",
	"hopeless": "stock: 2\nadmit: 1/min\nburst: 1\nshed: {line_per_unit: 1}\n",
	"waiting":  "stock: 1000\nadmit: 1/min\nburst: 1\nshed: off\n",
}

// stage is an edge with all that belongs to it, each a process of its own.
type stage struct {
	at, admin, nginx string // addresses; nginx: empty where it is not installed
	nginxPID         string // file
	rdb              *redis.Client
	held, hopeless   *shopper // one who got nothing, and one who will not
	waiting          *shopper
}

func open(ctx context.Context, t testserver.Owner, dir string) (*stage, error) {
	waitroom, orderworker := filepath.Join(dir, "waitroom"), filepath.Join(dir, "orderworker")
	if err := programs.Build(ctx, dir, "cmd/waitroom", "cmd/orderworker"); err != nil {
		return nil, err
	}
	store, books := testserver.StartRedis(t), testserver.StartPostgres(t)
	st := &stage{at: testserver.FreeAddress(t), admin: testserver.FreeAddress(t), rdb: redis.NewClient(&redis.Options{Addr: store.Addr, MaxRetries: -1})}
	t.Cleanup(func() { _ = st.rdb.Close() })
	origin, worker := testserver.FreeAddress(t), testserver.FreeAddress(t)
	file := filepath.Join(dir, "waitroom.yaml")
	files := map[string]string{file: fmt.Sprintf(`listen: {https: '%s', http: off, admin: '%s'}
tls: {mode: internal, domains: [%s]}
origin: {url: 'http://%s'}
redis: {url: '%s'}
postgres: {url: '%s'}
data_dir: '%s/data'
secret: 'the-secret-of-the-benchmark, of 32 bytes or more'
worker: {listen: '%s', token: '%s'}
identity: {cookie: session}
limits: {address: off, device: off, block: off, account: {request: 1/h}}
sales: ['*.sale.yaml']
`, st.at, st.admin, shop, origin, store.URL, books.URL, dir, worker, token)}
	opens := time.Now().Add(startsWithin).Truncate(time.Second)
	for name, more := range sales {
		instant := func(d time.Duration) string { return opens.Add(d).UTC().Format("2006-01-02 15:04:05") }
		files[filepath.Join(dir, name+".sale.yaml")] = fmt.Sprintf("sale: %[1]s\ntitle: Toy\ntimezone: UTC\ndoors: %[2]s\nopens: %[3]s\ncloses: %[4]s\n"+
			"product_page: /%[1]s\nbuy: POST /%[1]s/buy\ncheckout: /checkout?reservation={reservation}\n%[5]s",
			name, instant(-time.Hour), instant(0), instant(time.Hour), more)
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	for _, p := range []*testserver.Program{
		testserver.NewProgram(t, testserver.Listens(origin), waitroom, "storefront", "--listen", origin, "--worker", "http://"+worker),
		testserver.NewProgram(t, testserver.Healthy(worker), orderworker, "run", "--config", file),
		testserver.NewProgram(t, testserver.Healthy(st.admin), waitroom, "run", "--config", file, "--linger", "0s"),
	} {
		if err := p.Start(); err != nil {
			return nil, err
		}
	}
	if err := st.openNginx(t, dir); err != nil {
		return nil, err
	}
	return st, st.fill(ctx, opens)
}

// openNginx starts nginx, where it is installed, with a no as short as ours and the
// edge's own kind of certificate.
func (st *stage) openNginx(t testserver.Owner, dir string) error {
	if _, err := exec.LookPath("nginx"); err != nil {
		return nil
	}
	cert, key, err := programs.Certify(dir, shop, false)
	if err != nil {
		return err
	}
	st.nginx, st.nginxPID = testserver.FreeAddress(t), filepath.Join(dir, "nginx.pid")
	file := filepath.Join(dir, "nginx.conf")
	err = os.WriteFile(file, fmt.Appendf(nil, `daemon off; master_process off; error_log stderr crit; pid %[1]s/nginx.pid;
events { worker_connections 1024; }
http { access_log off; keepalive_requests 100000000; client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p;
fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
server { listen %[2]s ssl http2; ssl_certificate %[3]s; ssl_certificate_key %[4]s; default_type application/json;
location / { add_header Cache-Control no-store always; add_header Retry-After 5 always; return 429 '{"status":"slow_down"}\n'; } } }
`, dir, st.nginx, cert, key), 0o600)
	if err != nil {
		return err
	}
	return testserver.NewProgram(t, testserver.Listens(st.nginx), "nginx", "-c", file).Start()
}

// fill lets a crowd enter each sale, waits for the draw, and lets the first buy what
// there is of one.
func (st *stage) fill(ctx context.Context, opens time.Time) error {
	all := map[string][]*shopper{}
	for sale := range sales {
		for i := range crowd {
			s := st.shopper(sale, fmt.Sprintf("%s-%d", sale, i))
			if err := s.ask(ctx, "POST", "/.waitroom/"+sale+"/ticket"); err != nil {
				return err
			}
			all[sale] = append(all[sale], s)
		}
	}
	many := st.shopper("waiting", "many") // so that nobody's turn comes meanwhile
	for range longLine {
		clear(many.cookies)
		if err := many.ask(ctx, "POST", "/.waitroom/waiting/ticket"); err != nil {
			return err
		}
	}
	if time.Now().After(opens) {
		return fmt.Errorf("the machine is too slow: the crowd had entered %v after the opening", time.Since(opens))
	}
	bought := false
	for _, s := range all["held"] {
		err := s.until(ctx, "called", "sold_out")
		if err == nil && s.told.State == "called" && !bought {
			err = s.ask(ctx, "POST", "/held/buy")
			bought = s.told.Status == "reserved"
		}
		if err != nil {
			return err
		}
	}
	var err error
	if st.held, err = find(ctx, all["held"][1:], "sold_out"); err != nil {
		return err
	}
	if st.hopeless, err = find(ctx, all["hopeless"], "hopeless"); err != nil {
		return err
	}
	if st.waiting, err = find(ctx, all["waiting"], "waiting"); err != nil {
		return err
	}
	flood := *st.waiting
	flood.cookies = maps.Clone(flood.cookies)
	flood.cookies["session"] = flooding
	return flood.ask(ctx, "POST", "/.waitroom/waiting/ticket") // what its limit allows
}

// find gives the last of those who are in a state, or soon will be.
func find(ctx context.Context, all []*shopper, state string) (last *shopper, err error) {
	seen := map[string]int{}
	for late := time.Now().Add(20 * time.Second); time.Now().Before(late) && last == nil; {
		clear(seen)
		for _, s := range all {
			if err := s.ask(ctx, "GET", "/.waitroom/"+s.sale+"/me"); err != nil {
				return nil, err
			}
			if seen[s.told.State]++; s.told.State == state && (last == nil || s.told.Ahead > last.told.Ahead) {
				last = s
			}
		}
	}
	if last == nil {
		err = fmt.Errorf("nobody is %s of %v", state, seen)
	}
	return last, err
}

// commands is how many commands Redis has run of those that clients send, and scripts.
func (st *stage) commands(ctx context.Context) (n int64, err error) {
	text, err := st.rdb.Info(ctx, "commandstats").Result()
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		if _, after, ok := strings.Cut(line, "calls="); ok {
			calls, _, _ := strings.Cut(after, ",")
			one, err := strconv.ParseInt(calls, 10, 64)
			if err != nil {
				return 0, fmt.Errorf("read commandstats: %w", err)
			}
			n += one
		}
	}
	return n, nil
}
