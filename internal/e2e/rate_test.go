package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

// An edge that starts again brings no tokens with it, and a clock that is set
// makes none: over both edges the passes of any time t stay below burst + rate × t
// (I6). And a pass lives by Redis's clock.
func TestPassesKeepTheRate(t *testing.T) {
	t.Parallel()
	const rate, burst, crowd = 20, 3, 200
	p := openPair(t, 0, 2*time.Second, rate, burst)
	told, over := newTold(), make(chan struct{})
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	var all sync.WaitGroup
	for i := range crowd {
		b := p.browser(fmt.Sprintf("account-%d", i))
		all.Go(func() { p.claim(ctx, b, i, told, over) })
	}
	p.past(p.sale.opens)
	for _, clock := range []time.Duration{time.Hour, -time.Hour, 24 * time.Hour, -wrong} {
		p.fast.setClock(t, clock)
		pause(ctx, 500*time.Millisecond)
		p.slow.Kill()
		p.slow.setClock(t, -clock)
		p.slow.start(t)
	}
	close(over)
	all.Wait()

	stamps := slices.Sorted(slices.Values(told.stamps))
	t.Logf("%d passes", len(stamps))
	if len(stamps) < 3*burst {
		t.Fatalf("%d passes: the bound was not tried", len(stamps))
	}
	told.within(t, rate, burst)

	p.slow.setClock(t, -time.Hour)
	p.fast.setClock(t, time.Hour)
	p.passLivesByRedis()
}

// claim joins and then asks for a pass wherever there is an answer, until there is one or it is
// over.
func (p *pair) claim(ctx context.Context, b *browser, i int, told *told, over <-chan struct{}) {
	for ; ; i++ {
		select {
		case <-over:
			return
		default:
		}
		if !pause(ctx, time.Duration(100+i%7*10)*time.Millisecond) {
			return
		}
		want := "pass"
		if b.cookies["__Host-wr-"+saleID] == "" {
			want = "ticket"
		}
		s, err := p.try(ctx, b, p.edges()[i%2], http.MethodPost, want)
		if err == nil && s.code == http.StatusOK && want == "pass" {
			if !s.Again {
				told.admitted(s.AdmittedAt)
			}
			return
		}
	}
}

// passLivesByRedis signs a pass as an edge does, that ends soon: both edges take
// it until then, the one that thinks it has long ended too, and not after, the
// one that thinks it has an hour left neither.
func (p *pair) passLivesByRedis() {
	p.t.Helper()
	keys, err := queueing.NewKeyring([]configs.Secret{configs.NewSecret(edgesSecret)})
	if err != nil {
		p.t.Fatal(err)
	}
	born, err := p.rdb.HGet(p.t.Context(), "wr:{line:"+saleID+"}", "born").Int64()
	if err != nil {
		p.t.Fatal(err)
	}
	now := time.Now()
	pass := queueing.Pass{
		Sale: saleID + "/" + strconv.FormatInt(born, 36), Number: queueing.Number{Value: 7}, ID: [8]byte{7},
		Admitted: now.Add(-10 * time.Minute), Expires: now.Add(5 * time.Second),
	}
	b := p.browser("somebody")
	b.cookies["__Host-wrp-"+saleID] = keys.SignPass(pass)
	state := func(e *server) string { return p.ask(b, e, http.MethodGet, "me").State }
	for _, e := range p.edges() {
		if got := state(e); got != "admitted" {
			p.t.Errorf("a pass that lives: %q, want admitted", got)
		}
	}
	p.before(pass.Expires)
	p.past(pass.Expires.Add(time.Second / 4))
	for _, e := range p.edges() {
		if got := state(e); got == "admitted" {
			p.t.Errorf("a pass that has ended: %q", got)
		}
	}
}
