package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/demo/files"
	"github.com/waitroom/waitroom/internal/demo/storefront"
	"github.com/waitroom/waitroom/proxy/certs"
)

// schedule is when a demo's sale happens, and where.
type schedule struct {
	opensIn, open, hold time.Duration
	listen              string // empty, or taken: any free port
}

// stage is a shop, an edge and a worker that run, set up by files like any
// other: nothing in a demo is configured in a way that a shop could not be.
type stage struct {
	dir    string
	cfg    *configs.Config
	sale   *configs.Sale
	edge   *wiring.Edge
	worker *wiring.Worker // the one that writes the books
	shop   *storefront.Shop
	at     net.Listener       // the shop's
	ca     string             // PEM of the edge's own CA
	stop   context.CancelFunc // nil: nothing runs yet
	ended  chan struct{}      // closed when everything has stopped
	err    error              // why; read after ended
}

// openStage sets everything up and runs it. Close what it returns.
func openStage(ctx context.Context, o *demoOptions, when schedule, errs io.Writer) (*stage, error) {
	s := &stage{ended: make(chan struct{})}
	if err := s.open(ctx, o, when, errs); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *stage) open(ctx context.Context, o *demoOptions, when schedule, errs io.Writer) (err error) {
	if s.dir, err = os.MkdirTemp("", "waitroom-demo-"); err != nil {
		return err
	}
	if s.at, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	if s.cfg, err = o.configure(s.dir, s.at.Addr(), when); err != nil {
		return err
	}
	s.sale = &s.cfg.Sales[0]
	log := wiring.NewLogger(errs).WithOptions(zap.IncreaseLevel(zap.WarnLevel))
	if err := s.build(ctx, log); err != nil {
		return err
	}
	s.shop = storefront.New(storefront.Options{
		Worker: "http://" + s.worker.Addr().String(), Token: s.cfg.Worker.Token.Reveal(),
	})
	s.start(ctx)
	return errors.Join(s.trust(), s.ready(ctx))
}

// build makes the programs: with stores of its own, an edge has its worker
// inside; with a real Redis and Postgres the worker is a program beside it.
func (s *stage) build(ctx context.Context, log *zap.Logger) (err error) {
	if s.edge, err = wiring.NewEdge(ctx, s.cfg, wiring.LimitMemory(log), 0, log); err != nil {
		return err
	}
	if s.worker = s.edge.Worker(); s.worker != nil {
		return nil
	}
	s.worker, err = wiring.NewWorker(ctx, s.cfg, log)
	return err
}

func (s *stage) start(ctx context.Context) {
	ctx, s.stop = context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.edge.Run(ctx) })
	group.Go(func() error { return serveShop(ctx, s.at, s.shop) })
	if s.worker != s.edge.Worker() {
		group.Go(func() error { return s.worker.Run(ctx) })
	}
	go func() { // close waits for it
		s.err = group.Wait()
		close(s.ended)
	}()
}

// readyWithin is how long stores and gate may take before a demo gives up.
const readyWithin = 10 * time.Second

// ready waits until the edge can serve the sale, and says why it cannot.
func (s *stage) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := s.askReady(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the demo is not ready after %v: %w", readyWithin, err)
		case <-ticker.C:
		}
	}
}

func (s *stage) askReady(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.edge.AdminAddr().String()+"/readyz", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	why, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	return errors.New(strings.TrimSpace(string(why)))
}

// trust reads the CA that the edge made for itself.
func (s *stage) trust() error {
	pem, err := os.ReadFile(filepath.Join(s.cfg.DataDir, certs.InternalCA))
	s.ca = string(pem)
	return err
}

func (s *stage) address() string { return "https://" + s.edge.Addr().String() }

// close ends what runs, closes what was opened, and says what went wrong on the
// way. It tolerates a stage that is half open.
func (s *stage) close() error {
	var errs []error
	if s.stop != nil {
		s.stop()
		<-s.ended
		errs = append(errs, s.err)
	}
	if s.edge != nil {
		errs = append(errs, s.edge.Close())
	}
	if s.worker != nil {
		errs = append(errs, s.worker.Close())
	}
	if s.at != nil {
		_ = s.at.Close() // closed already where it has served
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

// configure writes the two files of a demo and loads them.
func (o *demoOptions) configure(dir string, shop net.Addr, when schedule) (*configs.Config, error) {
	now := time.Now().UTC().Truncate(time.Second)
	opens := now.Add(when.opensIn).Add(time.Second)
	f := files.Files{
		HTTPS: freeOr(when.listen), Admin: "127.0.0.1:0", Worker: "127.0.0.1:0", Shop: shop.String(),
		Redis: o.redis, Postgres: o.postgres, Proof: o.proof,
		Secret: rand.Text() + rand.Text(), AdminToken: rand.Text(), WorkerToken: rand.Text(),
		Doors: now, Opens: opens, Closes: opens.Add(when.open),
		Stock: o.stock, Rate: o.rate, Hold: when.hold,
	}
	if o.redis != "" { // stores that outlive the demo may know an earlier one
		f.Sale = "golden-toy-" + strconv.FormatInt(now.Unix(), 36)
	}
	file, err := f.Write(dir)
	if err != nil {
		return nil, err
	}
	cfg, err := wiring.Load(file)
	return cfg, asFlags(err)
}

// asFlags names the flags from which the faults of a demo's files come: nobody
// has written those files.
func asFlags(err error) error {
	faults, _ := errors.AsType[configs.Faults](err)
	for _, f := range faults {
		flag, ok := map[string]string{"redis.url": "--redis", "postgres.url": "--postgres", "admit": "--rate"}[f.Key]
		if ok {
			return &wiring.UsageError{Err: fmt.Errorf("%s: %s, %s", flag, f.Wrong, f.Right)}
		}
	}
	return err
}

// freeOr is the address if nobody listens there, else any free port.
func freeOr(addr string) string {
	if addr == "" {
		return "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "127.0.0.1:0"
	}
	_ = l.Close()
	return addr
}
