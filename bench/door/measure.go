package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/internal/demo/crowd"
	"github.com/waitroom/waitroom/internal/testserver"
)

// situation is one of the four that are compared.
type situation struct {
	shop, street string // as the table names them
	door, crowd  bool   // waitroom is in front; a crowd comes
}

var situations = [...]situation{
	{"waitroom", "nobody", true, false},
	{"waitroom", "a crowd", true, true},
	{"shop alone", "a crowd", false, true},
	{"shop alone", "nobody", false, false},
}

// Indices of situations.
const (
	doorQuiet = iota
	doorCrowd
	aloneCrowd
	aloneQuiet
)

// result is what one situation was like.
type result struct {
	situation
	login    crowd.Latencies
	seen     crowd.Report // empty without a crowd
	requests int64        // that the shop saw, logins among them
	cpu      cpu
}

// cpu is how much of the cores each program took from its start to its end.
type cpu struct{ shop, edge, worker, redis, postgres time.Duration }

const (
	loginsPerSecond = 20
	warmUp          = time.Second     // of logins that do not count
	patience        = 3 * time.Minute // of the crowd, once all have come
	politeness      = "10"            // of the crowd's process, see crowdCommand
)

// measure opens a situation, logs in at a fixed rate for as long in all of
// them, sees the crowd off, and closes it.
func measure(ctx context.Context, o options, s situation) (result, error) {
	owner := &testserver.Measurement{}
	defer owner.End()
	st, err := open(owner, o, s)
	if err != nil {
		return result{}, err
	}
	front := crowd.Options{Edge: st.front, RootCAs: crowd.Trust(st.ca)}
	if _, err := crowd.Login(ctx, front, loginsPerSecond, warmUp); err != nil {
		return result{}, err
	}

	r := result{situation: s}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		r.login, err = crowd.Login(ctx, front, loginsPerSecond, o.arrive+o.after)
		return err
	})
	if s.crowd {
		group.Go(func() (err error) {
			ctx, cancel := context.WithTimeout(ctx, o.arrive+patience)
			defer cancel()
			r.seen, err = crowd.Send(ctx, crowdCommand(o), st.brief(o), nil, os.Stderr)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return result{}, err
	}
	r.requests, r.cpu, err = st.close()
	return r, err
}

// crowdCommand starts the crowd's process. Its shoppers would have machines of
// their own; here they yield the cores to what is measured.
func crowdCommand(o options) []string {
	return []string{"nice", "-n", politeness, filepath.Join(o.programs, "waitroom"), "crowd"}
}

// brief is the crowd that a stage gets.
func (st *stage) brief(o options) crowd.Brief {
	return crowd.Brief{CA: st.ca, Options: crowd.Options{
		Edge: st.front, Straight: !st.door,
		Shoppers: o.shoppers, Arrive: o.arrive, Seed: 1,
	}}
}
