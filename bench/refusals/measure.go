package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/bench/internal/command"
)

// result is what a kind of request costs, each, over HTTP/1.1 and HTTP/2.
type result struct {
	kind
	http1, http2 cost
}

// cost is of one request.
type cost struct {
	cpu      time.Duration
	allocs   float64
	commands float64 // that Redis ran; of nginx none
}

// reading is how far the counters are at an instant.
type reading struct {
	at               time.Time
	cpu              time.Duration
	allocs, commands float64
}

// measure asks so often, over both protocols.
func (st *stage) measure(ctx context.Context, o options, k kind) (r result, err error) {
	r.kind = k
	if r.http1, err = st.cost(ctx, o, k, st.overHTTP1); err == nil && !k.http1 {
		r.http2, err = st.cost(ctx, o, k, st.overHTTP2)
	}
	return r, err
}

// cost reads the counters around so many requests.
func (st *stage) cost(ctx context.Context, o options, k kind, ask asker) (cost, error) {
	n := o.requests
	if k.anew {
		n = max(1, n/10)
	}
	if err := st.send(ctx, o.connections, o.connections, k, ask); err != nil { // warm
		return cost{}, err
	}
	rest, err := st.rest(ctx, o, k)
	if err != nil {
		return cost{}, err
	}
	busy, err := st.during(ctx, k, func() error { return st.send(ctx, o.connections, n, k, ask) })
	if err != nil {
		return cost{}, err
	}
	share := busy.took.Seconds() / rest.took.Seconds()
	return cost{
		cpu:      max(0, busy.cpu-time.Duration(share*float64(rest.cpu))) / time.Duration(n),
		allocs:   max(0, busy.allocs-share*rest.allocs) / float64(n),
		commands: max(0, busy.commands-share*rest.commands) / float64(n),
	}, nil
}

// rest is how far the counters grow while nobody asks.
func (st *stage) rest(ctx context.Context, o options, k kind) (growth, error) {
	return st.during(ctx, k, func() error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(o.idle):
			return nil
		}
	})
}

// growth is by how much the counters grew.
type growth struct {
	took, cpu        time.Duration
	allocs, commands float64
}

func (st *stage) during(ctx context.Context, k kind, do func() error) (growth, error) {
	before, err := st.read(ctx, k)
	if err == nil {
		err = do()
	}
	if err != nil {
		return growth{}, err
	}
	after, err := st.read(ctx, k)
	return growth{after.at.Sub(before.at), after.cpu - before.cpu, after.allocs - before.allocs, after.commands - before.commands}, err
}

func (st *stage) read(ctx context.Context, k kind) (now reading, err error) {
	now.at = time.Now()
	if k.nginx {
		now.cpu, err = processCPU(st.nginxPID)
		return now, err
	}
	m, err := st.metrics(ctx)
	if err != nil {
		return reading{}, err
	}
	n, err := st.commands(ctx)
	now.cpu, now.allocs, now.commands = time.Duration(m["process_cpu_seconds_total"]*float64(time.Second)), m["go_memstats_mallocs_total"], float64(n)
	return now, err
}

// metrics are the edge's own that have no labels.
func (st *stage) metrics(ctx context.Context) (map[string]float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+st.admin+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	all := map[string]float64{}
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), " "); ok {
			if n, err := strconv.ParseFloat(value, 64); err == nil {
				all[name] = n
			}
		}
	}
	return all, nil
}

// processCPU reads what a process has used, see proc_pid_stat(5): the 14th and 15th
// field, in hundredths of a second.
func processCPU(pidFile string) (time.Duration, error) {
	pid, err := os.ReadFile(pidFile)
	if err != nil {
		return 0, err
	}
	stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0, fmt.Errorf("read %q", stat)
	}
	var sum time.Duration
	for _, f := range fields[11:13] {
		n, err := strconv.Atoi(f)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(n) * 10 * time.Millisecond
	}
	return sum, nil
}

// asker sends so many requests one after the other.
type asker func(ctx context.Context, address string, k kind, n int) error

func (st *stage) send(ctx context.Context, connections, n int, k kind, ask asker) error {
	at := st.at
	if k.nginx {
		at = st.nginx
	}
	group, ctx := errgroup.WithContext(ctx)
	for i := range connections {
		share := n / connections
		if i < n%connections {
			share++
		}
		group.Go(func() error { return ask(ctx, at, k, share) })
	}
	return group.Wait()
}

func (st *stage) overHTTP1(ctx context.Context, address string, k kind, n int) error {
	text := []byte(k.request.text())
	var conn net.Conn
	var in *bufio.Reader
	defer func() {
		if conn != nil {
			_ = conn.Close()
		}
	}()
	for range n {
		if conn == nil || k.anew {
			if conn != nil {
				_ = conn.Close()
			}
			var err error
			dialer := tls.Dialer{Config: trusting("http/1.1")}
			if conn, err = dialer.DialContext(ctx, "tcp", address); err != nil {
				return err
			}
			in = bufio.NewReader(conn)
		}
		if _, err := conn.Write(text); err != nil {
			return err
		}
		res, err := http.ReadResponse(in, &http.Request{Method: k.request.method})
		if err != nil {
			return err
		}
		if err := done(res, k); err != nil {
			return err
		}
	}
	return nil
}

func (st *stage) overHTTP2(ctx context.Context, address string, k kind, n int) error {
	transport := &http.Transport{TLSClientConfig: trusting("h2"), ForceAttemptHTTP2: true, DisableCompression: true}
	defer transport.CloseIdleConnections()
	for range n {
		req, err := http.NewRequestWithContext(ctx, k.request.method, "https://"+address+k.request.path, nil)
		if err != nil {
			return err
		}
		req.Host = k.request.host
		for i := 0; i < len(k.request.fields); i += 2 {
			req.Header.Add(k.request.fields[i], k.request.fields[i+1])
		}
		res, err := transport.RoundTrip(req)
		if err != nil {
			return err
		}
		if err := done(res, k); err != nil {
			return err
		}
	}
	return nil
}

// done reads an answer to its end and sees that it is the one that is measured.
func done(res *http.Response, k kind) error {
	body, err := io.ReadAll(res.Body)
	err = errors.Join(err, res.Body.Close())
	if err == nil && res.StatusCode != k.status {
		err = fmt.Errorf("got %s, want %d: %.200s", res.Status, k.status, body)
	}
	return err
}

// swamp refuses a great many and says what is left of them.
func (st *stage) swamp(ctx context.Context, o options, out io.Writer) error {
	soldOut := st.kinds()[1]
	heap := func() (float64, error) {
		m, err := st.metrics(ctx)
		return m["go_memstats_heap_alloc_bytes"] / (1 << 20), err
	}
	before, err := heap()
	if err != nil {
		return err
	}
	rest, err := st.rest(ctx, o, soldOut)
	if err != nil {
		return err
	}
	from, err := st.commands(ctx)
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := st.send(ctx, o.connections, o.many, soldOut, st.overHTTP1); err != nil {
		return err
	}
	took := time.Since(begun)
	after, err := heap()
	if err != nil {
		return err
	}
	to, err := st.commands(ctx)
	command.Say(out, "\n%d times sold out in %.1f s: the edge's heap had %.1f MiB before and %.1f MiB after; Redis ran %.0f commands a second meanwhile, and %.0f when nobody asked.",
		o.many, took.Seconds(), before, after, float64(to-from)/took.Seconds(), rest.commands/rest.took.Seconds())
	return err
}
