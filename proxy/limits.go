package proxy

import (
	"net/netip"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/shedding"
)

// limitKeys is how many keys are kept for each limit, 10 MiB with what they need.
// In use at a time are, of so many requests a second, only as many as come while a
// bucket refills by one.
const limitKeys = 1 << 16

// limits are the edge's token buckets. What is the same for everybody and answered
// from memory (the product page and its kept parts, the shared status, sold out)
// counts towards none: to refuse it would cost as much.
//
// A request pays once for being asked, as a buy or as any other, and besides for
// what it takes: a ticket or a pass. Each payment takes a token of the address, the
// device and the account, in this order, or of none of them. Who has not yet a
// ticket has no device, and whom the storefront does not name has no account.
type limits struct {
	asked, joined, claimed, bought toll
	blocks                         limit // what is given to a block

	atOrigin *atOnce
}

// toll is what one thing that requests do is paid with.
type toll struct{ address, device, account limit }

// limit is one of the operator's limits, of which each key has a bucket.
type limit struct {
	name    string // in records and metrics
	section configs.Limit
	burst   int
	buckets *shedding.Limiter
}

// payer is whom a request counts for.
type payer struct {
	addr            netip.Addr
	device, account string // empty: there is none
}

// excess is a request above a limit.
type excess struct {
	limit string        // its name in records
	retry time.Duration // until the next is allowed
}

// newLimits goes on with what the last ones have counted, wherever a limit is still
// the same.
func newLimits(c configs.Limits, last *limits) *limits {
	if last == nil {
		last = &limits{}
	}
	l := &limits{
		// A school behind one address loads a page, joins or presses in the same second.
		asked: toll{
			address: last.asked.address.again("address_request", c.Address.Request, 2, shedding.NewAddressLimiter),
			device:  last.asked.device.again("device_request", c.Device.Request, 4, shedding.NewLimiter),
			account: last.asked.account.again("account_request", c.Account.Request, 4, shedding.NewLimiter),
		},
		joined: toll{
			address: last.joined.address.again("address_join", c.Address.Join, 60, shedding.NewAddressLimiter),
			account: last.joined.account.again("account_join", c.Account.Join, 60, shedding.NewLimiter),
		},
		claimed: toll{
			address: last.claimed.address.again("address_claim", c.Address.Claim, 4, shedding.NewAddressLimiter),
			device:  last.claimed.device.again("device_claim", c.Device.Claim, 2, shedding.NewLimiter),
			account: last.claimed.account.again("account_claim", c.Account.Claim, 2, shedding.NewLimiter),
		},
		bought: toll{
			address: last.bought.address.again("address_buy", c.Address.Buy, 4, shedding.NewAddressLimiter),
			device:  last.bought.device.again("device_buy", c.Device.Buy, 2, shedding.NewLimiter),
			account: last.bought.account.again("account_buy", c.Account.Buy, 2, shedding.NewLimiter),
		},
		blocks:   last.blocks.bursting("block_join", c.Block.Join, c.Block.Burst, shedding.NewCap),
		atOrigin: newAtOnce(c.Address.Request),
	}
	if last.atOrigin != nil && last.asked.address.section == c.Address.Request {
		l.atOrigin = last.atOrigin
	}
	return l
}

// maker makes a limiter, as shedding.NewLimiter does.
type maker func(l configs.Limit, burst, keys int) *shedding.Limiter

// again is the limit with a burst of so many seconds' worth, as bursting.
func (l limit) again(name string, section configs.Limit, seconds float64, buckets maker) limit {
	burst := 1
	if !section.Off && section.Rate.Per > 0 {
		burst = max(1, int(section.Rate.PerSecond()*seconds))
	}
	return l.bursting(name, section, burst, buckets)
}

// bursting is the limit as it was, if it is still the same, or else anew.
func (l limit) bursting(name string, section configs.Limit, burst int, buckets maker) limit {
	if l.name == name && l.section == section && l.burst == burst {
		return l
	}
	return limit{name: name, section: section, burst: burst, buckets: buckets(section, burst, limitKeys)}
}

// request counts a request that does nothing of what is below: by its device where
// there is one, so that a crowd behind one address may wait, else by its address.
func (l *limits) request(p payer, now time.Time) *excess {
	if p.device != "" {
		return l.asked.pay("", p.device, p.account, now)
	}
	return l.asked.pay(l.asked.address.key(p.addr), "", p.account, now)
}

// refund takes back what request counted of an address, for an answer that lay in
// memory: a school loads the same page and all that belongs to it in one second.
func (l *limits) refund(p payer, now time.Time) {
	l.asked.address.buckets.GiveBack(l.asked.address.key(p.addr), now)
}

// join counts a ticket that is about to be given.
func (l *limits) join(p payer, now time.Time) *excess {
	return l.joined.pay(l.joined.address.key(p.addr), "", p.account, now)
}

// claim counts a try to take a pass, also by who comes into a room with a ticket:
// where nothing bounds who is inside, each takes a token.
func (l *limits) claim(p payer, now time.Time) *excess {
	return l.claimed.pay(l.claimed.address.key(p.addr), p.device, p.account, now)
}

// buy counts a press on buy.
func (l *limits) buy(p payer, now time.Time) *excess {
	return l.bought.pay(l.bought.address.key(p.addr), p.device, p.account, now)
}

// block counts a ticket of a sale that is given to a block of addresses; attempts
// above what it may have cost it nothing. Where the ticket is not given in the end,
// unblock has to be called.
func (l *limits) block(sale string, addr netip.Addr, now time.Time) *excess {
	if l.blocks.buckets == nil {
		return nil
	}
	if retry, ok := l.blocks.buckets.Allow(blockOf(sale, addr), now); !ok {
		return &excess{limit: l.blocks.name, retry: retry}
	}
	return nil
}

// unblock takes back what block counted.
func (l *limits) unblock(sale string, addr netip.Addr, now time.Time) {
	l.blocks.buckets.GiveBack(blockOf(sale, addr), now)
}

func blockOf(sale string, addr netip.Addr) string { return sale + " " + shedding.BlockKey(addr) }

// key is that of an address, where it is counted.
func (l limit) key(addr netip.Addr) string {
	if l.buckets == nil {
		return ""
	}
	return shedding.AddressKey(addr)
}

// pay takes a token of each key's bucket, or, if one of them has none, of no bucket.
// The account comes last: it may be anybody's word, and those who rotate it must not
// fill the table with more than the others let through.
func (t *toll) pay(address, device, account string, now time.Time) *excess {
	buckets := [...]struct {
		*limit
		key string
	}{{&t.address, address}, {&t.device, device}, {&t.account, account}}
	for i, b := range buckets {
		if b.key == "" {
			continue
		}
		retry, ok := b.buckets.Allow(b.key, now)
		if ok {
			continue
		}
		for _, paid := range buckets[:i] {
			if paid.key != "" {
				paid.buckets.GiveBack(paid.key, now)
			}
		}
		for _, next := range buckets[i+1:] {
			if next.key != "" {
				retry = max(retry, next.buckets.Wait(next.key, now))
			}
		}
		return &excess{limit: b.name, retry: retry}
	}
	return nil
}

// all are the limits by name.
func (l *limits) all() []limit {
	var all []limit
	for _, t := range []toll{l.asked, l.joined, l.claimed, l.bought} {
		all = append(all, t.address, t.device, t.account)
	}
	return append(all, l.blocks)
}

// sweep gives memory back that nobody's requests give back.
func (l *limits) sweep(now time.Time) {
	for _, one := range l.all() {
		one.buckets.Sweep(now)
	}
}
