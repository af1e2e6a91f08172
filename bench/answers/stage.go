package main

import (
	"context"
	"fmt"

	"github.com/waitroom/waitroom/bench/internal/programs"
	"github.com/waitroom/waitroom/internal/testserver"
)

const waitroom = "waitroom"

// stage is an origin, a waitroom with all that belongs to it, and its peers.
type stage struct {
	owner     testserver.Owner
	dir       string
	pinned    bool
	cert, key string // files
	origin    string
	edge      *edge
	servers   []*server // waitroom is the first
	versions  []string  // of the peers
	bodies    []string  // what is measured, and how long it is
	lines     *edge     // of the row line; nil before
}

func open(ctx context.Context, t testserver.Owner, o options, pinned bool) (*stage, error) {
	st := &stage{owner: t, dir: o.programs, pinned: pinned}
	var err error
	if st.cert, st.key, err = programs.Certify(st.dir, shop, false); err != nil {
		return nil, err
	}
	if st.origin, err = openOrigin(t); err != nil {
		return nil, err
	}
	if st.edge, err = st.openEdge(ctx, map[string]int{waitingSale: crowdOfSale}); err != nil {
		return nil, err
	}
	st.servers = append(st.servers, st.edge.server)
	samples, err := st.sample(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range o.peers {
		p := peers[name]
		s, err := st.openPeer(name, p, samples)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", name, err)
		}
		st.servers = append(st.servers, s)
		st.versions = append(st.versions, name+" "+said(p.version, p.tells[0], append(p.tells[1:], st.programOf(name))...))
	}
	return st, nil
}

func (st *stage) target(s *server, r row) target {
	return target{at: s.at, ask: r.ask, ticket: st.edge.tickets[waitingSale], http2: r.http2, streams: r.streams}
}

// inTurns measures one server after the other.
func (st *stage) inTurns(round int, measure func(*server) (figures, error)) (map[string]figures, error) {
	all := map[string]figures{}
	for i := range st.servers {
		s := st.servers[(i+round)%len(st.servers)]
		f, err := measure(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		all[s.name] = f
	}
	return all, nil
}

func (st *stage) names() (all []string) {
	for _, s := range st.servers {
		all = append(all, s.name)
	}
	return all
}
