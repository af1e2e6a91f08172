package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

// shopper is somebody who enters a sale.
type shopper struct {
	client *http.Client
	sale   string
	state  string
	ahead  int
}

const (
	turnWithin = time.Minute
	together   = 2000 // of the crowd
	drawnFrom  = 4    // shoppers of whom the one that waits the longest is taken
)

// fill lets a crowd and a few shoppers enter each sale, waits for the draw, and has the
// one unit of the sale that is to be held bought.
func (e *edge) fill(ctx context.Context, lengths map[string]int) error {
	all := map[string][]*shopper{}
	for _, sale := range append([]string{heldSale}, slices.Collect(maps.Keys(lengths))...) {
		for range drawnFrom {
			s, err := e.enter(ctx, sale)
			if err != nil {
				return err
			}
			all[sale] = append(all[sale], s)
		}
		if err := e.crowd(ctx, sale, lengths[sale]); err != nil {
			return err
		}
	}
	if late := time.Since(e.opens); late > 0 {
		return fmt.Errorf("the machine is too slow: the crowd had entered %v after the opening", late)
	}
	if err := e.sellOut(ctx, all[heldSale]); err != nil {
		return err
	}
	for sale := range lengths {
		last, err := lastOf(ctx, all[sale])
		if err != nil {
			return err
		}
		e.tickets[sale] = last.cookie()
	}
	return e.useUp(ctx)
}

// useUp lets the account ask what it may. An edge that starts anew has forgotten that.
func (e *edge) useUp(ctx context.Context) error {
	_, err := e.give(ctx, asked("slowdown").expecting(http.StatusOK))
	return err
}

// crowd enters so many straight into the line, as edges do for those who come together.
func (e *edge) crowd(ctx context.Context, sale string, n int) error {
	line := queueing.NewLine(e.rdb, &configs.Sale{
		ID: sale, Key: sale, Doors: e.opens.Add(-time.Hour), Opens: e.opens, Closes: e.opens.Add(48 * time.Hour),
		Admit: configs.Rate{Count: 1, Per: time.Minute}, Burst: 1,
	})
	group, ctx := errgroup.WithContext(ctx)
	for i := range together {
		group.Go(func() error {
			for range (n + i) / together {
				if _, err := line.Enter(ctx, queueing.Entry{}); err != nil {
					return fmt.Errorf("enter %s: %w", sale, err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// sellOut waits until all is held by one of the shoppers.
func (e *edge) sellOut(ctx context.Context, all []*shopper) error {
	return until(ctx, func() (bool, error) {
		for _, s := range all {
			if err := s.ask(ctx, http.MethodGet, "/.waitroom/"+s.sale+"/me"); err != nil {
				return false, err
			}
			if s.state == "called" {
				if err := s.ask(ctx, http.MethodPost, "/"+s.sale+"/buy"); err != nil {
					return false, err
				}
			}
		}
		_, err := e.give(ctx, asked("soldout"))
		return err == nil, nil
	})
}

// lastOf gives the one who has the most ahead, once all wait.
func lastOf(ctx context.Context, all []*shopper) (last *shopper, err error) {
	err = until(ctx, func() (bool, error) {
		last = nil
		for _, s := range all {
			if err := s.ask(ctx, http.MethodGet, "/.waitroom/"+s.sale+"/me"); err != nil {
				return false, err
			}
			if s.state == "waiting" && (last == nil || s.ahead > last.ahead) {
				last = s
			}
		}
		return last != nil, nil
	})
	return last, err
}

var errLate = errors.New("it does not come about")

// until asks again and again, for a minute.
func until(ctx context.Context, is func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, turnWithin, errLate)
	defer cancel()
	for {
		yes, err := is()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if yes || err != nil {
			return err
		}
		_ = pause(ctx, 200*time.Millisecond)
	}
}

func (e *edge) enter(ctx context.Context, sale string) (*shopper, error) {
	s := &shopper{client: e.client(), sale: sale}
	var err error
	if s.client.Jar, err = cookiejar.New(nil); err != nil {
		return nil, err
	}
	return s, s.ask(ctx, http.MethodPost, "/.waitroom/"+sale+"/ticket")
}

func (s *shopper) ask(ctx context.Context, method, path string) error {
	req, err := http.NewRequestWithContext(ctx, method, "https://"+shop+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	res, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("%s %s: %s", method, path, res.Status)
	}
	var told struct {
		State string
		Ahead int
	}
	if err := json.Unmarshal(text, &told); err != nil {
		return fmt.Errorf("%s %s: %w in %.200q", method, path, err, text)
	}
	s.state, s.ahead = told.State, told.Ahead
	return nil
}

// cookie is the field that the shopper's cookies make.
func (s *shopper) cookie() string {
	var all []string
	for _, c := range s.client.Jar.Cookies(&url.URL{Scheme: "https", Host: shop, Path: "/.waitroom/" + s.sale + "/me"}) {
		all = append(all, c.Name+"="+c.Value)
	}
	return strings.Join(all, "; ")
}
