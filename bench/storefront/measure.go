package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// The bounds that are compared, as the configuration names them.
const (
	auto = "auto"
	off  = "off"
)

// situation is one of those that are compared.
type situation struct {
	bound, street string
	crowd         bool
}

var situations = []situation{
	{auto, "nobody", false},
	{off, "nobody", false},
	{auto, "a crowd", true},
	{off, "a crowd", true},
}

const (
	patience = 10 * time.Second // of everybody who asks
	calms    = 5 * time.Second  // after a crowd: what hangs in the shop has gone
	conns    = 40               // of the crowd
)

// result is what one situation was like.
type result struct {
	situation
	checkouts, others seen
	requests, most    int64 // that the shop saw, and at once
}

// seen is how requests fared.
type seen struct {
	took   []time.Duration // of those that got an answer of the shop; sorted
	turned int             // were told that there is no place
	failed int             // anything else
	span   time.Duration
}

func (s seen) all() int { return len(s.took) + s.turned + s.failed }

// quantile counts who got no answer of the shop as the slowest.
func (s seen) quantile(q float64) time.Duration {
	if i := int(q * float64(s.all())); i < len(s.took) {
		return s.took[i]
	}
	return patience
}

// measure sends the checkouts, and the crowd if there is one, at fixed rates, whatever
// becomes of those sent before.
func (st *stage) measure(ctx context.Context, o options, s situation) (result, error) {
	if _, _, err := st.count(ctx); err != nil {
		return result{}, err
	}
	e, r := st.edges[s.bound], result{situation: s}
	var both sync.WaitGroup
	both.Go(func() {
		one := e.client()
		r.checkouts = send(ctx, o.holders(), o.span, func(i int) (int, error) {
			return get(ctx, one, e.url+"/checkout?reservation=1", e.holders[i%len(e.holders)])
		})
	})
	if s.crowd {
		both.Go(func() {
			var many []*http.Client
			for range conns {
				many = append(many, e.client())
			}
			r.others = send(ctx, o.perSecond()*o.times, o.span, func(i int) (int, error) {
				return get(ctx, many[i%conns], fmt.Sprintf("%s/toys/%d", e.url, i), "")
			})
		})
	}
	both.Wait()
	var err error
	r.requests, r.most, err = st.count(ctx)
	if s.crowd {
		select {
		case <-time.After(calms):
		case <-ctx.Done():
		}
	}
	return r, err
}

// send asks so often in a second, for so long, and waits for all answers.
func send(ctx context.Context, perSecond float64, span time.Duration, ask func(i int) (status int, err error)) seen {
	s := seen{span: span}
	var mu sync.Mutex
	var all sync.WaitGroup
	begun := time.Now()
	for i := range int(perSecond * span.Seconds()) {
		due := begun.Add(time.Duration(float64(i) / perSecond * float64(time.Second)))
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(due)):
		}
		all.Go(func() {
			status, err := ask(i)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && status == http.StatusOK:
				s.took = append(s.took, time.Since(due))
			case err == nil && status == http.StatusServiceUnavailable:
				s.turned++
			default:
				s.failed++
			}
		})
	}
	all.Wait()
	slices.Sort(s.took)
	return s
}

func get(ctx context.Context, client *http.Client, url, cookies string) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	if cookies != "" {
		r.Header.Set("Cookie", cookies)
	}
	resp, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// count is how many requests the shop saw since it was last asked, and how many at
// once.
func (st *stage) count(ctx context.Context) (all, most int64, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+st.shop+"/count", nil)
	if err != nil {
		return 0, 0, err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	_, err = fmt.Fscan(resp.Body, &all, &most)
	return all, most, err
}
