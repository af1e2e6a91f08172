package proxy

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/shedding"
)

var (
	morning = time.Date(2026, time.November, 27, 10, 0, 0, 0, time.UTC)
	school  = netip.MustParseAddr("192.0.2.7")
)

func rated(count int, per time.Duration) configs.Limit {
	return configs.Limit{Rate: configs.Rate{Count: count, Per: per}}
}

// asByDefault are the limits of a file that says nothing of them, which
// TestSchoolAllMorning is about; that they are those of configs, TestSchool shows.
func asByDefault() configs.Limits {
	return configs.Limits{
		Address: configs.Rates{Join: rated(300, time.Minute), Claim: rated(100, time.Second), Buy: rated(100, time.Second), Request: rated(200, time.Second)},
		Device:  configs.Rates{Claim: rated(5, time.Second), Buy: rated(5, time.Second), Request: rated(5, time.Second)},
		Account: configs.Rates{Join: rated(30, time.Minute), Claim: rated(5, time.Second), Buy: rated(2, time.Second), Request: rated(20, time.Second)},
		Block:   configs.Block{Join: configs.Limit{Off: true}},
	}
}

// TestSchoolAllMorning: three hundred behind one address, on default limits, join in
// one second, ask as they are told for two minutes, each by one of three ways, and
// press buy in the same second, and nothing is ever refused.
func TestSchoolAllMorning(t *testing.T) {
	t.Parallel()
	const pupils, lasts = 300, 2 * time.Minute
	l := newLimits(asByDefault(), nil)
	random := rand.New(rand.NewPCG(5, 6))
	refused := func(what string, at time.Duration, over *excess) {
		if over != nil {
			t.Fatalf("%s after %v: refused by %s for %v", what, at, over.limit, over.retry)
		}
	}
	type pupil struct {
		payer
		next time.Duration
	}
	all := make([]pupil, pupils)
	for i := range all {
		at := time.Duration(random.Int64N(int64(time.Second)))
		nobody := payer{addr: school}
		refused("the shop's page", at, l.request(nobody, morning.Add(at)))
		refused("a press without a ticket", at, l.buy(nobody, morning.Add(at)))
		refused("a ticket", at, l.join(nobody, morning.Add(at)))
		all[i] = pupil{payer: payer{addr: school, device: strconv.Itoa(i)}, next: at}
	}
	called := &queueing.Snapshot{}
	asks := 0
	for at := time.Duration(0); at < lasts; at += 5 * time.Millisecond {
		for i := range all {
			p := &all[i]
			if p.next > at {
				continue
			}
			asks++
			refused("a poll", at, l.request(p.payer, morning.Add(at)))
			switch i % 3 {
			case 0: // a client that is told poll_after_ms, as soon as anybody is
				p.next += called.PollAfter(queueing.Standing{State: queueing.StandingCalled}, random.Float64())
			case 1: // a page with script, in three windows, which ask for it once a second each
				p.next += time.Second / 3 * 3 / 4
			default: // a page without script, that reloads itself
				p.next += spread(orderPoll)
			}
		}
	}
	for i := range all {
		at := lasts + time.Duration(random.Int64N(int64(time.Second)))
		refused("a press", at, l.buy(all[i].payer, morning.Add(at)))
		refused("a claim on its way", at, l.claim(all[i].payer, morning.Add(at)))
	}
	if asks < pupils*60 {
		t.Errorf("%d polls say little", asks)
	}
}

// TestTwoDevicesOfOneAccount press, claim and ask in the same second.
func TestTwoDevicesOfOneAccount(t *testing.T) {
	t.Parallel()
	l := newLimits(asByDefault(), nil)
	for i, name := range []string{"phone", "desk"} {
		p := payer{addr: netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}), device: name, account: "alice"}
		for range 2 {
			for what, over := range map[string]*excess{"buy": l.buy(p, morning), "claim": l.claim(p, morning), "me": l.request(p, morning), "join": l.join(p, morning)} {
				if over != nil {
					t.Errorf("%s of the %s: refused by %s", what, name, over.limit)
				}
			}
		}
	}
}

// TestRefusedTakesNothing: what one bucket refuses takes nothing of the others, and
// the wait that is told is that of all of them.
func TestRefusedTakesNothing(t *testing.T) {
	t.Parallel()
	section := configs.Limits{
		Address: configs.Rates{Buy: rated(60, time.Minute)},  // four at once
		Device:  configs.Rates{Buy: rated(60, time.Minute)},  // two at once
		Account: configs.Rates{Buy: rated(120, time.Minute)}, // four at once
	}
	l := newLimits(section, nil)
	p := payer{addr: school, device: "phone", account: "alice"}
	for range 2 {
		if over := l.buy(p, morning); over != nil {
			t.Fatalf("refused by %s", over.limit)
		}
	}
	for range 50 {
		if over := l.buy(p, morning); over == nil || over.limit != "device_buy" {
			t.Fatalf("over the device's: %+v", over)
		}
	}
	for i, other := range []string{"desk", "laptop"} { // of the same address and account
		if over := l.buy(payer{addr: school, device: other, account: "alice"}, morning); over != nil {
			t.Errorf("press %d with another device: refused by %s, though only two were paid", i, over.limit)
		}
	}
	over := l.buy(payer{addr: school, device: "tablet", account: "alice"}, morning)
	if over == nil || over.limit != "address_buy" || over.retry != time.Second {
		t.Errorf("the fifth of the address: %+v, want address_buy for 1s", over)
	}
	// Now the account, which refills in half a second, is told with the address's second.
	slow := newLimits(configs.Limits{Address: section.Address, Account: configs.Rates{Buy: rated(1, time.Minute)}}, nil)
	named := payer{addr: school, account: "alice"}
	slow.buy(named, morning)
	if over := slow.buy(named, morning); over == nil || over.limit != "account_buy" || over.retry != time.Minute {
		t.Errorf("over the account's: %+v", over)
	}
	for range 3 {
		slow.buy(payer{addr: school}, morning)
	}
	if over := slow.buy(named, morning); over == nil || over.limit != "address_buy" || over.retry < time.Minute {
		t.Errorf("over both: %+v, want the wait of both", over)
	}
}

// TestRotatingAccounts: an account may be anybody's word. Who names another one each
// time is held by address and device, and takes no room from those who say the truth.
func TestRotatingAccounts(t *testing.T) {
	t.Parallel()
	l := newLimits(asByDefault(), nil)
	honest := payer{addr: netip.MustParseAddr("198.51.100.1"), account: "alice"}
	for range 30 {
		l.join(honest, morning)
	}
	allowed, asked := map[string]int{}, 100_000
	for i := range asked {
		now := morning.Add(time.Duration(i) * 10 * time.Microsecond)
		p := payer{addr: school, account: fmt.Sprint("nobody ", i)}
		if l.join(p, now) == nil {
			allowed["join"]++
		}
		if l.request(p, now) == nil {
			allowed["request"]++
		}
		p.device = "one"
		if l.buy(p, now) == nil {
			allowed["buy"]++
		}
	}
	if got := allowed["join"]; got > 306 {
		t.Errorf("%d joins, want what the address may", got)
	}
	if got := allowed["request"]; got > 601 {
		t.Errorf("%d requests, want what the address may", got)
	}
	if got := allowed["buy"]; got > 16 {
		t.Errorf("%d presses, want what the device may", got)
	}
	if got := l.joined.account.buckets.Len(); got > 400 {
		t.Errorf("%d accounts are kept", got)
	}
	if over := l.join(honest, morning.Add(time.Second)); over == nil || over.limit != "account_join" {
		t.Errorf("what the honest one had used is forgotten: %+v", over)
	}
}

// TestReloadOfOneLimit: the others go on with what they have counted.
func TestReloadOfOneLimit(t *testing.T) {
	t.Parallel()
	section := asByDefault()
	section.Address.Join, section.Block = rated(60, time.Hour), configs.Block{Join: rated(60, time.Hour), Burst: 1}
	l := newLimits(section, nil)
	p := payer{addr: school}
	l.join(p, morning)
	l.block("toy", school, morning)

	section.Device.Buy = rated(7, time.Second)
	l = newLimits(section, &house{limits: l})
	if l.join(p, morning) == nil || l.block("toy", school, morning) == nil {
		t.Error("another limit has changed, and what was counted is forgotten")
	}
	section.Block.Burst = 2
	l = newLimits(section, &house{limits: l})
	if l.join(p, morning) == nil {
		t.Error("the burst of blocks has changed, and what addresses have used is forgotten")
	}
	if l.block("toy", school, morning) != nil {
		t.Error("a burst of two is one")
	}
	off := configs.Limit{Off: true}
	section.Address.Join = off
	if l = newLimits(section, &house{limits: l}); l.join(p, morning) != nil {
		t.Error("refused by a limit that is off")
	}
}

// TestNamesOfLimits are those of the operator's keys, each once, over reloads.
func TestNamesOfLimits(t *testing.T) {
	t.Parallel()
	l, seen := newLimits(asByDefault(), nil), map[string]bool{}
	next := newLimits(configs.Limits{}, &house{limits: l}).all()
	for i, one := range l.all() {
		if seen[one.name] || one.name == "" || next[i].name != one.name {
			t.Errorf("limit %d is %q, and %q after a reload", i, one.name, next[i].name)
		}
		seen[one.name] = true
	}
	for _, minute := range []int{1, 7, 70, 100, 300, 333} { // a minute's worth is what is written
		if got := (limit{}).worth("x", rated(minute, time.Minute), 60, shedding.NewLimiter).burst; got != minute {
			t.Errorf("of %d/min a minute's worth is %d", minute, got)
		}
	}
}

// TestBlock: tickets that are given count, for each block and sale by itself, and
// attempts do not.
func TestBlock(t *testing.T) {
	t.Parallel()
	l := newLimits(configs.Limits{Block: configs.Block{Join: rated(60, time.Minute), Burst: 100}}, nil)
	var given atomic.Int64
	var all sync.WaitGroup
	for worker := range 64 {
		all.Go(func() {
			for i := range 20 {
				addr := netip.AddrFrom4([4]byte{192, 0, 2, byte(worker*20 + i)})
				switch {
				case l.block("toy", addr, morning) != nil:
				case i%5 == 0: // no ticket in the end
					l.unblock("toy", addr, morning)
				default:
					given.Add(1)
				}
			}
		})
	}
	all.Wait()
	for l.block("toy", school, morning) == nil {
		given.Add(1)
	}
	if got := given.Load(); got != 100 {
		t.Errorf("%d tickets were given, want the burst of 100", got)
	}
	if over := l.block("toy", school, morning); over == nil || over.limit != "block_join" || over.retry != time.Second {
		t.Errorf("after many attempts: %+v, want block_join for 1s", over)
	}
	if l.block("toy", school, morning.Add(time.Second)) != nil {
		t.Error("refused when the next was due")
	}
	for name, free := range map[string]bool{
		"another block": l.block("toy", netip.MustParseAddr("192.0.3.1"), morning) == nil,
		"another sale":  l.block("doll", school, morning) == nil,
	} {
		if !free {
			t.Errorf("%s is refused", name)
		}
	}
}

func BenchmarkLimits(b *testing.B) {
	l := newLimits(asByDefault(), nil)
	p := payer{addr: school, device: "one", account: "alice"}
	b.Run("paid", func(b *testing.B) {
		now := morning
		b.ReportAllocs()
		for b.Loop() {
			now = now.Add(time.Second)
			l.buy(p, now)
		}
	})
	b.Run("refused", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l.buy(p, morning)
		}
	})
}
