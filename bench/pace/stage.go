package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/demo/files"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/proxy/certs"
)

const (
	secret      = "the-secret-of-the-benchmark, of 32 bytes or more"
	workerToken = "the-token-of-the-benchmark"
	stock       = 10_000_000 // so that nobody is told no
	linger      = "500ms"    // of an edge that was taken out of the balancer: for who is on the way
)

// stage is where the programs of a front run, and what their files say.
type stage struct {
	testserver.Owner
	dir, programs string
	files         files.Files
	roots         *x509.CertPool // of the edges that have started
}

func newStage(t testserver.Owner, o options, redis, postgres string, s *configs.Sale) (*stage, error) {
	dir, err := os.MkdirTemp("", "waitroom-pace-")
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return &stage{Owner: t, dir: dir, programs: o.programs, roots: x509.NewCertPool(), files: files.Files{
		Shop: testserver.FreeAddress(t), Worker: testserver.FreeAddress(t),
		Redis: redis, Postgres: postgres, Secret: secret, WorkerToken: workerToken,
		Doors: s.Doors, Opens: s.Opens, Closes: s.Closes, Stock: stock, Rate: s.Admit.String(), Hold: time.Hour,
	}}, nil
}

// start starts one of our programs.
func (s *stage) start(ready func() bool, name string, args ...string) (*testserver.Program, error) {
	p := testserver.NewProgram(s, ready, filepath.Join(s.programs, name), args...)
	return p, p.Start()
}

// edge starts an edge, and before the first one the worker, which has its file.
func (s *stage) edge(i int) (*door, error) {
	f := s.files
	f.HTTPS, f.Admin = testserver.FreeAddress(s), testserver.FreeAddress(s)
	file, err := write(f, filepath.Join(s.dir, fmt.Sprint("edge-", i)))
	if err != nil {
		return nil, err
	}
	if i == 0 {
		if _, err := s.start(testserver.Healthy(f.Worker), "orderworker", "run", "--config", file); err != nil {
			return nil, err
		}
	}
	p, err := s.start(testserver.Healthy(f.Admin), "waitroom", "run", "--config", file, "--linger", linger)
	if err != nil {
		return nil, err
	}
	pem, err := os.ReadFile(filepath.Join(filepath.Dir(file), "data", certs.InternalCA))
	s.roots.AppendCertsFromPEM(pem)
	return &door{Program: p, address: f.HTTPS}, err
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

// client has connections to the edges that have started, for the whole crowd.
func (s *stage) client() *http.Client {
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: s.roots},
		MaxConnsPerHost: connections, MaxIdleConnsPerHost: connections, DisableCompression: true,
	}
	s.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: askTimeout}
}

// openFront starts a shop, a worker and three edges, all of them processes.
func openFront(t testserver.Owner, o options, redis, postgres string, sale *configs.Sale) (*front, error) {
	s, err := newStage(t, o, redis, postgres, sale)
	if err != nil {
		return nil, err
	}
	if _, err := s.start(testserver.Listens(s.files.Shop), "waitroom", "storefront", "--listen", s.files.Shop); err != nil {
		return nil, err
	}
	f := &front{sale: sale, said: make(chan word, 1<<14), byPlace: map[uint64]string{}}
	for i := range f.edges {
		if f.edges[i], err = s.edge(i); err != nil {
			return nil, err
		}
	}
	f.client = s.client()
	return f, nil
}
