package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

const (
	connections  = 64 // to each edge, shared by the whole crowd
	askTimeout   = 5 * time.Second
	drainsWithin = 30 * time.Second
)

// balancer sends requests to the edges that are there, in turn.
type balancer struct {
	edges  [edges]*door
	client *http.Client
	next   atomic.Uint64
}

// door is one edge's.
type door struct {
	*testserver.Program
	address string
	away    atomic.Bool
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

func (b *balancer) post(ctx context.Context, path, cookie string) (answer, *http.Response, error) {
	return b.ask(ctx, http.MethodPost, path, cookie)
}

// ask sends a request and reads what is JSON of its answer.
func (b *balancer) ask(ctx context.Context, method, path, cookie string) (a answer, res *http.Response, err error) {
	at := b.pick()
	req, err := http.NewRequestWithContext(ctx, method, "https://"+at+"/.waitroom/"+saleID+"/"+path, http.NoBody)
	if err != nil {
		return a, nil, err
	}
	req.Header.Set("Accept", "application/json")
	if cookie != "" {
		req.Header.Set("Cookie", cookie)
	}
	if res, err = b.client.Do(req); err != nil {
		return a, nil, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err == nil && strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		err = json.Unmarshal(raw, &a)
	}
	return a, res, err
}

func (b *balancer) pick() string {
	for range edges {
		if d := b.edges[b.next.Add(1)%edges]; !d.away.Load() {
			return d.address
		}
	}
	return b.edges[0].address
}

// stop takes an edge out of the balancer and ends it in good order.
func (b *balancer) stop(i int) error {
	d := b.edges[i]
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

func (b *balancer) start(i int) error {
	d := b.edges[i]
	if err := d.Start(); err != nil {
		return err
	}
	d.away.Store(false)
	return nil
}
