package proxy_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/proxy"
)

// beside is another edge of the same sale: another server, with connections of
// its own to the same Redis.
func (s *stage) beside(p plot) *stage {
	s.t.Helper()
	o := &stage{
		t: s.t, dir: s.dir, cfg: s.cfg, gate: s.gate, shop: s.shop,
		metrics: prometheus.NewRegistry(), log: &journal{}, calls: &calls{},
	}
	options := *s.rdb.Options()
	o.rdb = redis.NewClient(&options)
	o.rdb.AddHook(o.calls)
	o.t.Cleanup(func() { _ = o.rdb.Close() })
	var err error
	if o.edge, err = proxy.New(o.cfg, o.rdb, o.metrics, o.log.logger()); err != nil {
		o.t.Fatal(err)
	}
	o.run(p)
	return o
}

var polls = 100_000 // fewer with the race detector

// A hundred thousand polls of the shared document, at two edges, while people
// join, the draw is held, passes are claimed and units are bought: everybody
// reads the same, and Redis hears of none of it.
func TestPollsCostRedisNothing(t *testing.T) {
	t.Parallel()
	const readers, stock = 6, 4 // each reader has a connection
	p := plot{
		redis: testserver.Redis(t), stock: stock, sale: "admit: 20/s\nburst: 2",
		doors: -time.Minute, opens: 2 * time.Second,
	}
	a := play(t, p)
	edges := []*stage{a, a.beside(p)}
	idle := newTally(t, edges)
	time.Sleep(time.Second) // nobody comes
	idle.check(t, "nobody there", edges)

	shoppers := make([]*browser, stock+2)
	for i := range shoppers {
		shoppers[i] = edges[i%2].browser()
		shoppers[i].join().code(t, "join", http.StatusCreated)
	}
	crowded, seen := newTally(t, edges), newSightings()
	over := make(chan struct{})
	faults := make(chan error, readers)
	for i := range readers {
		conn := edges[i%2].rawConn()
		defer func() { _ = conn.Close() }()
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		go func() { faults <- read(conn, seen, i%2, polls/readers, over) }()
	}
	for _, b := range shoppers[:stock] {
		b.until("called")
		b.s.until("a pass", func() bool { return b.own(http.MethodPost, "pass").StatusCode == http.StatusOK })
		b.buy("").want(t, "buy", http.StatusCreated, "reserved")
	}
	edges[0].state("all_held")
	close(over)
	for range readers {
		if err := <-faults; err != nil {
			t.Error(err)
		}
	}
	crowded.check(t, fmt.Sprintf("%d polls", seen.polls), edges)
	seen.check(t, polls)
}

// tally is what Redis had been asked at one moment.
type tally struct {
	at      time.Time
	scripts int64 // that ran, by the server's count: ticks, and what shoppers did
	caused  int64 // of those, by requests at the edges, by the edges' count
}

func newTally(t *testing.T, edges []*stage) tally {
	t.Helper()
	c := tally{at: time.Now()}
	// Before the server is asked, so that a call under way counts there only.
	for _, e := range edges {
		c.caused += e.calls.n.Load()
	}
	stats, err := edges[0].rdb.InfoMap(t.Context(), "commandstats").Result()
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range stats["Commandstats"] {
		if strings.HasPrefix(name, "cmdstat_eval") {
			var n int64
			if _, err := fmt.Sscanf(value, "calls=%d,", &n); err != nil {
				t.Fatalf("commandstats: %q: %v", value, err)
			}
			c.scripts += n
		}
	}
	return c
}

// check holds what was asked since c to the ticks, of two scripts each at each
// edge ten times a second, and to what shoppers did.
func (c tally) check(t *testing.T, what string, edges []*stage) {
	t.Helper()
	now := newTally(t, edges)
	const tickEvery, scripts = 100 * time.Millisecond, 2
	took := now.at.Sub(c.at)
	ticks := int64(len(edges)) * (int64(took/tickEvery) + 2)
	asked, caused := now.scripts-c.scripts, now.caused-c.caused
	t.Logf("%s: %d calls to Redis in %v, %d of them by shoppers", what, asked, took.Round(time.Millisecond), caused)
	if most := scripts*ticks + caused; asked > most {
		t.Errorf("%s: %d calls to Redis in %v, %d of them by shoppers: want at most %d", what, asked, took, caused, most)
	}
	if asked == 0 || caused > 1000 {
		t.Errorf("%s: %d calls to Redis, %d of them caused by requests", what, asked, caused)
	}
}

// sightings are what was read of the shared document, wherever that was.
type sightings struct {
	mu    sync.Mutex
	polls int
	kept  int                          // of them: nothing new
	by    map[string]map[string][2]int // now → the document with its tag → how often, at each edge
	tags  map[string]string            // → now
	state map[string]bool
	worst error
}

func newSightings() *sightings {
	return &sightings{by: map[string]map[string][2]int{}, tags: map[string]string{}, state: map[string]bool{}}
}

// saw notes an answer, body empty if it was a 304.
func (s *sightings) saw(edge int, tag, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.polls++
	if _, known := s.tags[tag]; known && body == "" {
		s.kept++
		return
	}
	var d struct {
		Now   json.Number `json:"now"`
		State string      `json:"state"`
	}
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		s.worst = fmt.Errorf("a document %q with the tag %s: %w", body, tag, err)
	}
	now := string(d.Now)
	s.tags[tag], s.state[d.State] = now, true
	if s.by[now] == nil {
		s.by[now] = map[string][2]int{}
	}
	count := s.by[now][tag+" "+body]
	count[edge]++
	s.by[now][tag+" "+body] = count
}

func (s *sightings) check(t *testing.T, polls int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.worst != nil {
		t.Error(s.worst)
	}
	both := 0
	for now, documents := range s.by {
		if len(documents) != 1 {
			t.Errorf("%d documents of one tick, %s: %q", len(documents), now, slices.Collect(maps.Keys(documents)))
		}
		for _, n := range documents {
			if n[0] > 0 && n[1] > 0 {
				both++
			}
		}
	}
	t.Logf("%d polls, %d of them 304; %d ticks, %d seen at both edges; states %v",
		s.polls, s.kept, len(s.by), both, slices.Sorted(maps.Keys(s.state)))
	if s.polls < polls || s.kept < polls/10 {
		t.Errorf("%d polls, %d of them 304: want at least %d and %d", s.polls, s.kept, polls, polls/10)
	}
	if both < 4 || both*3 < len(s.by) {
		t.Errorf("%d of %d ticks were seen at both edges", both, len(s.by))
	}
	for _, state := range []string{"doors", "open", "all_held"} {
		if !s.state[state] {
			t.Errorf("the sale was never seen %s", state)
		}
	}
}

// read polls over one connection, so many times and then on until over is
// closed. Every second time it says what it has, in the answers' order.
func read(conn io.ReadWriter, seen *sightings, edge, polls int, over <-chan struct{}) error {
	const at = "GET /.waitroom/golden-toy/status HTTP/1.1\r\nHost: " + host + "\r\n"
	in, tag, batch := bufio.NewReaderSize(conn, 1<<16), `"none"`, 50
	for done := 0; ; done += batch {
		select {
		case <-over:
			if done >= polls {
				return nil
			}
		default:
		}
		ask := strings.Repeat(at+"\r\n"+at+"If-None-Match: "+tag+"\r\n\r\n", batch/2)
		if _, err := io.WriteString(conn, ask); err != nil {
			return err
		}
		for range batch {
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				return err
			}
			body, err := io.ReadAll(res.Body)
			tag = res.Header.Get("ETag")
			if err = errors.Join(err, shareable(res, tag, string(body))); err != nil {
				return err
			}
			seen.saw(edge, tag, string(body))
		}
	}
}

// shareable holds an answer to what a cache that all share needs.
func shareable(res *http.Response, tag, body string) error {
	is304 := res.StatusCode == http.StatusNotModified
	switch {
	case res.StatusCode != http.StatusOK && !is304, is304 != (body == ""):
		return fmt.Errorf("status: %d with %d bytes", res.StatusCode, len(body))
	case len(tag) < 10 || !strings.HasPrefix(tag, `"`):
		return fmt.Errorf("status: the tag is %q, want a strong one", tag)
	case res.Header.Get("Cache-Control") != "public, max-age=1", res.Header.Get("Set-Cookie") != "":
		return fmt.Errorf("status: not for all to share: %v", res.Header)
	}
	return nil
}

// A tag that one edge gave is good at the other.
func TestStatusTagIsGoodAtEveryEdge(t *testing.T) {
	t.Parallel()
	p := plot{redis: testserver.Redis(t)}
	a := play(t, p)
	b := a.beside(p)
	one, other := a.browser(), b.browser()
	a.until("the tag of one edge at the other", func() bool {
		got := one.own(http.MethodGet, "status").code(t, "status", http.StatusOK)
		again := other.own(http.MethodGet, "status", "If-None-Match", got.Header.Get("ETag"))
		if again.StatusCode == http.StatusNotModified {
			return again.body == "" && again.Header.Get("ETag") == got.Header.Get("ETag")
		}
		return false // the next tick came in between
	})
}
