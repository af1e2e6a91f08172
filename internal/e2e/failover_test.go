package e2e_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

// mostFailover is how long a failover may keep shoppers waiting: the nodes need
// testserver.DownAfter to give one up, then they vote, the gate is perhaps built
// anew, and the machine is busy.
const mostFailover = testserver.DownAfter + 12*time.Second

// TestFailovers: while one node takes over from another, what a shopper wants
// comes late, and nothing comes wrong: the draw, a turn, a unit, a room. How late
// is in the log. But for long runs it is one failover at the draw, and one later.
func TestFailovers(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*testing.T) topology{"Sentinels": sentinels, "Cluster": cluster} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openStage(t, start(t))
			s.draw()
			for _, f := range s.faults[1:] {
				if !f.paused {
					s.watch(f)
				}
				if !long() {
					break
				}
			}
		})
	}
}

// stage is an edge and a worker on a topology, with a sale and a room.
type stage struct {
	topology
	t     *testing.T
	sale  saleFile
	edge  *server
	roots *x509.CertPool
}

func openStage(t *testing.T, top topology) *stage {
	t.Helper()
	dir := t.TempDir()
	sales := filepath.Join(dir, "sales")
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the fair") }))
	t.Cleanup(origin.Close)
	s := &stage{topology: top, t: t, roots: x509.NewCertPool(), sale: saleFile{
		opens: time.Now().Add(time.Hour).Round(time.Second), open: time.Hour,
		stock: 5000, rate: 100, burst: 100, hold: 10 * time.Minute,
	}}
	s.sale.write(t, sales)
	writeFile(t, filepath.Join(sales, "fair.yaml"), "sale: fair\ntitle: The fair\nroom: /fair\nadmit: 100/s\nmax_active: 100000\n")
	o := operator{name: "one", sales: sales, origin: origin.URL, redis: top.url, postgres: testserver.Postgres(t)}
	worker := newWorker(t, filepath.Join(dir, "worker"), o)
	s.edge = newEdge(t, filepath.Join(dir, "edge"), o)
	for _, p := range []*server{worker, s.edge} {
		p.unlimited(t)
		p.start(t)
	}
	s.edge.trust(t, s.roots)
	s.sale.opens = time.Now().Add(15 * time.Second).Round(time.Second) // all have entered by then, also where the machine is busy
	s.sale.write(t, sales)
	return s
}

// unlimited takes the token buckets away from who asks often, to see more.
func (s *server) unlimited(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(s.config)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, s.config, strings.Replace(string(text), "limits: {address: off}", "limits: off", 1))
}

// draw strikes at the moment of the draw, which comes late but as it would have
// been: of all who had entered.
func (s *stage) draw() {
	const entered = 20
	for i := range entered {
		b := s.browser(fmt.Sprintf("early-%d", i))
		eventually(s.t, "the doors are open", func() bool { return s.ask(b, http.MethodPost, own("ticket")).code == http.StatusCreated })
		b.close()
	}
	if late := time.Since(s.sale.opens); late > -time.Second {
		s.t.Fatalf("the machine was too slow: %v until the draw", -late)
	}
	pause(s.t.Context(), time.Until(s.sale.opens.Add(-200*time.Millisecond)))
	f := s.faults[0]
	var struck sync.WaitGroup
	struck.Go(f.strike)
	b := s.browser("watch")
	defer b.close()
	var status struct{ Drawn *int }
	eventually(s.t, "it is drawn", func() bool {
		body, _, err := b.open(s.t.Context(), s.edge.address, own("status"))
		return err == nil && json.Unmarshal([]byte(body), &status) == nil && status.Drawn != nil
	})
	late := time.Since(s.sale.opens)
	s.t.Logf("at the draw %s: drawn %v late", f.name, late.Round(10*time.Millisecond))
	// The last entries may be forgotten, and their numbers are given no more.
	if *status.Drawn < entered || late > mostFailover {
		s.t.Errorf("%d were drawn %v late, want %d", *status.Drawn, late, entered)
	}
	struck.Wait()
	f.heal()
}

// watch strikes while shoppers ask for all there is.
func (s *stage) watch(f failover) {
	ctx, stop := context.WithCancel(s.t.Context())
	defer stop()
	holder := s.browser("holder-of-" + f.name)
	defer holder.close()
	s.comeToHold(holder)
	gaps := []*gap{
		{what: "a buy", ask: func(ctx context.Context) bool { return s.buys(ctx, holder) }},
		{what: "the pace", ask: s.pace()},
		{what: "a turn", ask: s.turns()},
		{what: "the room", ask: s.visit},
	}
	var all sync.WaitGroup
	for _, g := range gaps {
		all.Go(func() { g.watch(ctx) })
	}
	pause(ctx, time.Second)
	f.strike()
	f.heal()
	pause(ctx, 3*time.Second)
	stop()
	all.Wait()
	for _, g := range gaps {
		s.t.Logf("%s: %s stood still for %v", f.name, g.what, g.longest.Round(10*time.Millisecond))
		if g.longest > mostFailover {
			s.t.Errorf("%s: %s stood still for %v, want %v at most", f.name, g.what, g.longest, mostFailover)
		}
	}
}

// gap is how long something that is asked for again and again did not come.
type gap struct {
	what    string
	ask     func(context.Context) bool
	longest time.Duration
}

func (g *gap) watch(ctx context.Context) {
	last := time.Now()
	for pause(ctx, 25*time.Millisecond) {
		if g.ask(ctx) {
			g.longest = max(g.longest, time.Since(last))
			last = time.Now()
		}
	}
	g.longest = max(g.longest, time.Since(last))
}

// comeToHold makes a shopper one who holds a unit.
func (s *stage) comeToHold(b *browser) {
	s.t.Helper()
	eventually(s.t, "a unit is held", func() bool {
		s.ask(b, http.MethodPost, own("ticket"))
		return s.ask(b, http.MethodPost, own("pass")).code == http.StatusOK && s.ask(b, http.MethodPost, buyPath).code == http.StatusCreated
	})
}

// buys reports whether a press is decided. It is that of a new key, so that the
// gate has to be asked.
func (s *stage) buys(ctx context.Context, b *browser) bool {
	a, err := b.ask(ctx, s.edge.address, http.MethodPost, buyPath, fmt.Sprint("press-", time.Now().UnixNano()), struct{}{})
	s.judge(ctx, "buy", a.code, err, http.StatusServiceUnavailable)
	return err == nil && (a.code == http.StatusCreated || a.code == http.StatusConflict)
}

// pace reports whether the clock of the line has gone on, as all see it.
func (s *stage) pace() func(context.Context) bool {
	b, last := s.browser("pace"), int64(0)
	return func(ctx context.Context) bool {
		body, code, err := b.open(ctx, s.edge.address, own("status"))
		s.judge(ctx, "status", code, err)
		var status struct{ Now int64 }
		if err != nil || json.Unmarshal([]byte(body), &status) != nil || status.Now <= last {
			return false
		}
		last = status.Now
		return true
	}
}

// turns reports whether somebody new comes to have a pass: takes a ticket, and
// asks for the pass until there is one.
func (s *stage) turns() func(context.Context) bool {
	var b *browser
	return func(ctx context.Context) bool {
		part := "pass"
		if b == nil {
			b, part = s.browser(fmt.Sprint("turn-", time.Now().UnixNano())), "ticket"
		}
		a, err := b.ask(ctx, s.edge.address, http.MethodPost, own(part), "", struct{}{})
		s.judge(ctx, part, a.code, err, http.StatusServiceUnavailable)
		if part == "ticket" && (err != nil || a.code != http.StatusCreated) || part == "pass" && a.code == http.StatusOK {
			b.close()
			b = nil
		}
		return part == "pass" && err == nil && a.code == http.StatusOK
	}
}

// visit reports whether somebody new comes into the room.
func (s *stage) visit(ctx context.Context) bool {
	b := s.browser(fmt.Sprint("visit-", time.Now().UnixNano()))
	defer b.close()
	body, code, err := b.open(ctx, s.edge.address, "/fair/tent")
	s.judge(ctx, "room", code, err)
	return body == "the fair"
}

// judge looks at an answer for what no failover excuses: a request without an
// answer, and one of the 5xx kind but for the one that is right.
func (s *stage) judge(ctx context.Context, what string, code int, err error, right ...int) {
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.t.Errorf("%s: %v", what, err)
	case code >= 500 && (len(right) == 0 || code != right[0]):
		s.t.Errorf("%s: %d", what, code)
	}
}

func (s *stage) browser(account string) *browser { return newBrowser(s.roots, account, true) }

func (s *stage) ask(b *browser, method, path string) answer {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	a, err := b.ask(ctx, s.edge.address, method, path, "", struct{}{})
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}
