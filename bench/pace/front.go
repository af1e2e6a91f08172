package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/demo/files"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/proxy"
	"github.com/waitroom/waitroom/queueing"
)

const (
	secret       = "the-secret-of-the-benchmark, of 32 bytes or more"
	workerToken  = "the-token-of-the-benchmark"
	stock        = 10_000_000 // so that nobody is told no
	connections  = 64         // to each edge, shared by the whole crowd
	askTimeout   = 5 * time.Second
	statusEvery  = 250 * time.Millisecond // as often as edges have news
	linger       = "500ms"                // of an edge that was taken out of the balancer: for who is on the way
	drainsWithin = 30 * time.Second
)

// front is three real edges with all that belongs to them. Its shoppers share
// connections; they are told apart by their cookies.
type front struct {
	sale   *configs.Sale
	edges  [edges]*door
	client *http.Client
	said   chan word
	next   atomic.Uint64

	tickets []ticket
	byPlace map[uint64]string // cookies; whole before the first head is told
	stopped context.CancelFunc
	asking  sync.WaitGroup // what is under way
}

// door is one edge's.
type door struct {
	*testserver.Program
	address string
	away    atomic.Bool
}

type ticket struct {
	number uint64
	cookie string
}

// answer is what is read of any answer.
type answer struct {
	Number      *uint64 `json:"number"`
	PollAfterMS int64   `json:"poll_after_ms"`
	AdmittedAt  int64   `json:"admitted_at"`
	Again       bool    `json:"again"`
	State       string  `json:"state"`
	Head        uint64  `json:"head"`
	Drawn       *uint64 `json:"drawn"`
	Seed        string  `json:"seed"`
}

// openFront starts a shop, a worker and three edges, all of them processes.
func openFront(t testserver.Owner, o options, redis, postgres string, s *configs.Sale) (*front, error) {
	f := &front{sale: s, said: make(chan word, 1<<14), byPlace: map[uint64]string{}}
	dir, err := os.MkdirTemp("", "waitroom-pace-")
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	text := files.Files{
		Shop: testserver.FreeAddress(t), Worker: testserver.FreeAddress(t),
		Redis: redis, Postgres: postgres, Secret: secret, WorkerToken: workerToken,
		Doors: s.Doors, Opens: s.Opens, Closes: s.Closes, Stock: stock, Rate: s.Admit.String(), Hold: time.Hour,
	}
	waitroom, orderworker := filepath.Join(o.programs, "waitroom"), filepath.Join(o.programs, "orderworker")
	shop := testserver.NewProgram(t, listens(text.Shop), waitroom, "storefront", "--listen", text.Shop)
	if err := shop.Start(); err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	for i := range f.edges {
		text.HTTPS, text.Admin = testserver.FreeAddress(t), testserver.FreeAddress(t)
		file, err := write(text, filepath.Join(dir, fmt.Sprint("edge-", i)))
		if err != nil {
			return nil, err
		}
		if i == 0 { // one worker, with the first edge's file
			worker := testserver.NewProgram(t, healthy(text.Worker), orderworker, "run", "--config", file)
			if err := worker.Start(); err != nil {
				return nil, err
			}
		}
		f.edges[i] = &door{address: text.HTTPS,
			Program: testserver.NewProgram(t, healthy(text.Admin), waitroom, "run", "--config", file, "--linger", linger)}
		if err := f.edges[i].Start(); err != nil {
			return nil, err
		}
		pem, err := os.ReadFile(filepath.Join(filepath.Dir(file), "data", proxy.InternalCA))
		if err != nil {
			return nil, err
		}
		roots.AppendCertsFromPEM(pem)
	}
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots},
		MaxConnsPerHost: connections, MaxIdleConnsPerHost: connections, DisableCompression: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	f.client = &http.Client{Transport: transport, Timeout: askTimeout}
	return f, nil
}

// write puts an edge's files into a folder of its own. All shoppers come from
// one address, so that is not limited.
func write(f files.Files, dir string) (file string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if file, err = f.Write(dir); err != nil {
		return "", err
	}
	out, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintln(out, "limits: {address: off}")
	return file, errors.Join(err, out.Close())
}

// join sends so many shoppers to the doors and returns when all have a ticket.
func (f *front) join(ctx context.Context, n int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(connections)
	f.tickets = make([]ticket, n)
	for i := range n {
		group.Go(func() error {
			a, res, err := f.post(ctx, "ticket", "")
			if err != nil {
				return fmt.Errorf("join: %w", err)
			}
			if res.StatusCode != http.StatusCreated || a.Number == nil || len(res.Cookies()) == 0 {
				return fmt.Errorf("join: answer %d, state %q", res.StatusCode, a.State)
			}
			c := res.Cookies()[0]
			f.tickets[i] = ticket{*a.Number, c.Name + "=" + c.Value}
			return nil
		})
	}
	return group.Wait()
}

// open begins to read the document that everybody shares, until close.
func (f *front) open() {
	ctx, stop := context.WithCancel(context.Background())
	f.stopped = stop
	f.asking.Go(func() { f.read(ctx) })
}

func (f *front) read(ctx context.Context) {
	ticker := time.NewTicker(statusEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			a, _, err := f.ask(ctx, http.MethodGet, "status", "")
			if err != nil || a.Drawn == nil {
				continue // an edge has just gone, or it is early
			}
			if err := f.draw(a); err != nil {
				f.said <- word{kind: failed, err: err}
				return
			}
			f.said <- word{kind: called, head: min(a.Head, uint64(len(f.tickets)))}
		}
	}
}

// draw works out everybody's place, as their pages do.
func (f *front) draw(a answer) error {
	if len(f.byPlace) > 0 {
		return nil
	}
	seed, err := queueing.ParseSeed(a.Seed)
	if err != nil {
		return err
	}
	draw := queueing.NewDraw(seed, f.sale.Key, *a.Drawn)
	for _, t := range f.tickets {
		f.byPlace[draw.Place(t.number)] = t.cookie
	}
	return nil
}

func (f *front) words() <-chan word { return f.said }

// claim asks for the pass of a place.
func (f *front) claim(place uint64) {
	f.asking.Go(func() { f.said <- f.pass(place) })
}

func (f *front) pass(place uint64) word {
	a, res, err := f.post(context.Background(), "pass", f.byPlace[place]) // askTimeout bounds it
	w := word{place: place, wait: time.Duration(a.PollAfterMS) * time.Millisecond}
	switch {
	case err != nil:
		w.kind, w.err, w.wait = failed, err, tryAgain
	case res.StatusCode == http.StatusOK && a.Again:
		w.kind = again
	case res.StatusCode == http.StatusOK:
		w.kind, w.at = admitted, time.UnixMilli(a.AdmittedAt)
	case res.StatusCode == http.StatusTooManyRequests:
		w.kind = denied
	default:
		w.kind, w.err, w.wait = failed, fmt.Errorf("answer %d", res.StatusCode), max(w.wait, tryAgain)
	}
	return w
}

func (f *front) post(ctx context.Context, path, cookie string) (answer, *http.Response, error) {
	return f.ask(ctx, http.MethodPost, path, cookie)
}

// ask sends a request to an edge that is there, as a balancer would.
func (f *front) ask(ctx context.Context, method, path, cookie string) (a answer, res *http.Response, err error) {
	at := f.pick()
	req, err := http.NewRequestWithContext(ctx, method, "https://"+at+"/.waitroom/"+saleID+"/"+path, http.NoBody)
	if err != nil {
		return a, nil, err
	}
	req.Header.Set("Accept", "application/json")
	if cookie != "" {
		req.Header.Set("Cookie", cookie)
	}
	if res, err = f.client.Do(req); err != nil {
		return a, nil, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err == nil && strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		err = json.Unmarshal(raw, &a)
	}
	return a, res, err
}

func (f *front) pick() string {
	for range edges {
		if d := f.edges[f.next.Add(1)%edges]; !d.away.Load() {
			return d.address
		}
	}
	return f.edges[0].address
}

// stop takes an edge out of the balancer and ends it in good order.
func (f *front) stop(i int) error {
	d := f.edges[i]
	if d.away.Swap(true) {
		return nil
	}
	if err := d.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	code, err := d.Wait(drainsWithin)
	if err == nil && code != 0 {
		err = fmt.Errorf("edge %d ended with %d:\n%s", i, code, d.Log())
	}
	return err
}

func (f *front) start(i int) error {
	d := f.edges[i]
	if err := d.Start(); err != nil {
		return err
	}
	d.away.Store(false)
	return nil
}

func (f *front) close() error {
	f.stopped()
	f.asking.Wait()
	close(f.said)
	var errs []error
	for i := range f.edges {
		errs = append(errs, f.stop(i))
	}
	return errors.Join(errs...)
}

// listens reports whether somebody listens at an address.
func listens(address string) func() bool {
	return func() bool {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	}
}

// healthy reports whether the program at an address says that it is ready.
func healthy(address string) func() bool {
	client := &http.Client{Timeout: time.Second}
	return func() bool {
		res, err := client.Get("http://" + address + "/readyz")
		if err != nil {
			return false
		}
		defer res.Body.Close()
		return res.StatusCode == http.StatusOK
	}
}
