package proxy_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"github.com/waitroom/waitroom/internal/testserver"
)

// at is the same browser, with the same cookies, whose requests reach another
// edge of the same shop.
func (b *browser) at(s *stage) *browser {
	transport := &http.Transport{
		DialContext: s.dial, TLSClientConfig: &tls.Config{RootCAs: s.ca, ServerName: host},
		DisableCompression: true, ForceAttemptHTTP2: true,
	}
	s.t.Cleanup(transport.CloseIdleConnections)
	client := *b.Client
	client.Transport = transport
	return &browser{Client: &client, s: s, html: b.html}
}

var (
	commandCalls = regexp.MustCompile(`(?m)^cmdstat_([a-z_|]+):calls=(\d+)`)
	ofThisTest   = map[string]bool{"info": true, "hello": true, "client": true, "client|setinfo": true}
)

// commands is how many commands a Redis has run, by its own count.
func (s *stage) commands() (n int) {
	s.t.Helper()
	text, err := s.rdb.Info(context.Background(), "commandstats").Result()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, m := range commandCalls.FindAllStringSubmatch(text, -1) {
		if calls, _ := strconv.Atoi(m[2]); !ofThisTest[m[1]] {
			n += calls
		}
	}
	return n
}

// TestSoldOutCostsRedisNothing: once all is gone and known to be gone, no refusal
// costs Redis a command, by its own count: not for who has no ticket, not for who
// was not called, who holds a pass, or has bought; at neither of two edges.
func TestSoldOutCostsRedisNothing(t *testing.T) {
	t.Parallel()
	for _, buckets := range []string{"buckets: 1", "buckets: 3"} {
		t.Run(buckets, func(t *testing.T) {
			t.Parallel()
			p := plot{redis: testserver.Redis(t), stock: 2, sale: buckets}
			a := play(t, p)
			b := a.beside(p)
			edges := []*stage{a, b}
			var passes []*browser
			for i := range 6 {
				passes = append(passes, edges[i%2].browser().admitted())
			}
			called, won := a.browser().called(), a.browser().called()
			yes := won.buy("", "Idempotency-Key", "k").want(t, "one", http.StatusCreated, "reserved").field("reservation")
			b.browser().called().buy("").want(t, "the last one", http.StatusCreated, "reserved")
			for _, s := range edges {
				s.state("all_held")
				s.until("a refusal from memory", func() bool {
					before := s.calls.n.Load()
					passes[0].at(s).buy("").want(t, "late", http.StatusConflict, "sold_out")
					return s.calls.n.Load() == before
				})
				s.leave() // the ticker looks at the gate however many are refused
			}

			before := a.commands()
			for _, s := range edges {
				for _, one := range passes {
					for i := range 10 {
						one.at(s).buy("", "Idempotency-Key", fmt.Sprint(i)).want(t, "with a pass", http.StatusConflict, "sold_out")
					}
				}
				for range 10 {
					called.at(s).buy("").want(t, "called", http.StatusConflict, "sold_out")
					s.browser().buy("").want(t, "a newcomer", http.StatusConflict, "sold_out")
					got := won.at(s).buy("", "Idempotency-Key", "another").want(t, "who has one", http.StatusConflict, "already_bought")
					if got.field("reservation") != yes {
						t.Errorf("who has one is told %s, want %s", got.body, yes)
					}
				}
			}
			if n := a.commands() - before; n != 0 {
				t.Errorf("180 refusals cost Redis %d commands, want none", n)
			}
			won.at(b).buy("", "Idempotency-Key", "k").want(t, "the same again, at the other edge", http.StatusCreated, "reserved")
		})
	}
}

// TestSoldOutInABurst: those who come right after the last unit has gone, before
// it is known who has what, wait for that instead of asking one by one.
func TestSoldOutInABurst(t *testing.T) {
	t.Parallel()
	p := plot{redis: testserver.Redis(t), stock: 1}
	a := play(t, p)
	b := a.beside(p)
	late := []*browser{}
	for range 10 {
		late = append(late, a.browser().admitted())
	}
	a.browser().called().buy("").want(t, "the only one", http.StatusCreated, "reserved")
	late[0].at(b).buy("").want(t, "the first to hear of it at the other edge", http.StatusConflict, "sold_out")
	for _, s := range []*stage{a, b} {
		before := s.calls.n.Load()
		var burst sync.WaitGroup
		for _, one := range late {
			at := one.at(s)
			for range 10 {
				burst.Go(func() { at.buy("").want(t, "in the burst", http.StatusConflict, "sold_out") })
			}
		}
		burst.Wait()
		if n := s.calls.n.Load() - before; n != 0 {
			t.Errorf("100 refusals in a burst cost %d commands, want none", n)
		}
	}
}

// TestLostYesIsFoundAtTheOtherEdge: who did not hear the yes, and tries again at
// another edge when all is gone, with the ticket alone, is told yes.
func TestLostYesIsFoundAtTheOtherEdge(t *testing.T) {
	t.Parallel()
	p := plot{redis: testserver.Redis(t), stock: 1}
	a := play(t, p)
	b := a.beside(p)
	won := a.browser().called()
	yes := won.buy("").want(t, "not heard", http.StatusCreated, "reserved")
	won.plant(passCookie, "")
	b.state("all_held")
	again := won.at(b).buy("").want(t, "again", http.StatusCreated, "reserved")
	if again.field("reservation") != yes.field("reservation") || a.left() != 0 {
		t.Errorf("the second try got %s, want the hold of %s", again.body, yes.body)
	}
}
