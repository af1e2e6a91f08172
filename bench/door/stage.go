package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/waitroom/waitroom/internal/demo/files"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/proxy/certs"
)

// token and secret are those of programs that live for a minute on loopback.
const (
	token  = "the-token-of-the-benchmark"
	secret = "the-secret-of-the-benchmark, of 32 bytes or more"
)

// stage is a shop with its database and, behind waitroom, all that belongs to
// it: every program a process of its own.
type stage struct {
	door  bool
	front string // base URL of where shoppers knock
	ca    string // PEM; empty without TLS

	shop, edge, worker *testserver.Program // edge and worker: nil without waitroom
	postgres           *testserver.PostgresServer
	redis              *testserver.RedisServer // nil without waitroom
}

const (
	startsWithin = 3 * time.Second // edge and worker, until shoppers can come
	settle       = 2 * time.Second // from the last arrival to the draw
	stopsWithin  = 30 * time.Second
)

func open(t testserver.Owner, o options, s situation) (*stage, error) {
	st := &stage{door: s.door, postgres: testserver.StartPostgres(t)}
	f := files.Files{
		Shop: testserver.FreeAddress(t), Worker: testserver.FreeAddress(t), Postgres: st.postgres.URL,
		Secret: secret, WorkerToken: token, Stock: o.stock, Rate: "2000/s", Hold: o.hold,
	}
	waitroom := filepath.Join(o.programs, "waitroom")
	st.shop = testserver.NewProgram(t, testserver.Listens(f.Shop), "/usr/bin/env", "WAITROOM_WORKER_TOKEN="+token, waitroom,
		"storefront", "--listen", f.Shop, "--worker", "http://"+f.Worker, "--guarded", f.Postgres, "--stock", strconv.Itoa(o.stock))
	if err := st.shop.Start(); err != nil {
		return nil, err
	}
	if !s.door {
		st.front = "http://" + f.Shop
		return st, nil
	}
	dir, err := os.MkdirTemp("", "waitroom-bench-")
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	st.redis = testserver.StartRedis(t)
	f.Redis, f.HTTPS, f.Admin = st.redis.URL, testserver.FreeAddress(t), testserver.FreeAddress(t)
	f.Opens = time.Now().Add(startsWithin + warmUp + o.arrive + settle)
	f.Doors, f.Closes = f.Opens.Add(-time.Hour), f.Opens.Add(time.Hour)
	file, err := f.Write(dir)
	if err != nil {
		return nil, err
	}
	st.worker = testserver.NewProgram(t, testserver.Healthy(f.Worker), filepath.Join(o.programs, "orderworker"), "run", "--config", file)
	if err := st.worker.Start(); err != nil {
		return nil, err
	}
	st.edge = testserver.NewProgram(t, testserver.Healthy(f.Admin), waitroom, "run", "--config", file, "--linger", "0s")
	if err := st.edge.Start(); err != nil {
		return nil, err
	}
	pem, err := os.ReadFile(filepath.Join(dir, "data", certs.InternalCA))
	st.front, st.ca = "https://"+f.HTTPS, string(pem)
	return st, err
}

// close ends all programs in good order and says what the shop saw and what
// each of them took.
func (st *stage) close() (requests int64, used cpu, err error) {
	if st.door {
		for _, p := range []*testserver.Program{st.edge, st.worker} {
			if err := end(p); err != nil {
				return 0, used, err
			}
		}
		st.redis.Stop()
		used.edge, used.worker, used.redis = st.edge.CPU(), st.worker.CPU(), st.redis.CPU()
	}
	if err := end(st.shop); err != nil {
		return 0, used, err
	}
	st.postgres.Stop()
	used.shop, used.postgres = st.shop.CPU(), st.postgres.CPU()
	var last struct{ Requests int64 }
	if err := json.Unmarshal([]byte(st.shop.Log()), &last); err != nil {
		return 0, used, fmt.Errorf("read %q of shop: %w", st.shop.Log(), err)
	}
	return last.Requests, used, nil
}

func end(p *testserver.Program) error {
	if err := p.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	code, err := p.Wait(stopsWithin)
	if err == nil && code != 0 {
		err = fmt.Errorf("program ended with %d:\n%s", code, p.Log())
	}
	return err
}
