package proxy

import (
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

	perAddress *perAddress
}

// newLimits goes on with what those of the last house have counted, if there was one,
// wherever a limit is still the same.
func newLimits(c configs.Limits, before *house) *limits {
	last := &limits{}
	if before != nil {
		last = before.limits
	}
	l := &limits{
		// A school behind one address loads a page, joins or presses in the same second.
		asked: toll{
			address: last.asked.address.worth("address_request", c.Address.Request, 2, shedding.NewAddressLimiter),
			device:  last.asked.device.worth("device_request", c.Device.Request, 4, shedding.NewLimiter),
			account: last.asked.account.worth("account_request", c.Account.Request, 4, shedding.NewLimiter),
		},
		joined: toll{
			address: last.joined.address.worth("address_join", c.Address.Join, 60, shedding.NewAddressLimiter),
			account: last.joined.account.worth("account_join", c.Account.Join, 60, shedding.NewLimiter),
		},
		claimed: toll{
			address: last.claimed.address.worth("address_claim", c.Address.Claim, 4, shedding.NewAddressLimiter),
			device:  last.claimed.device.worth("device_claim", c.Device.Claim, 2, shedding.NewLimiter),
			account: last.claimed.account.worth("account_claim", c.Account.Claim, 2, shedding.NewLimiter),
		},
		bought: toll{
			address: last.bought.address.worth("address_buy", c.Address.Buy, 4, shedding.NewAddressLimiter),
			device:  last.bought.device.worth("device_buy", c.Device.Buy, 2, shedding.NewLimiter),
			account: last.bought.account.worth("account_buy", c.Account.Buy, 2, shedding.NewLimiter),
		},
		blocks:     last.blocks.again("block_join", c.Block.Join, c.Block.Burst, shedding.NewCap),
		perAddress: newPerAddress(c.Address.Request),
	}
	if last.perAddress != nil && last.asked.address.section == c.Address.Request {
		l.perAddress = last.perAddress
	}
	return l
}

// asks are the buckets of a request that does nothing of what is below: its device's
// where there is one, so that a crowd behind one address may wait, else its address's.
func (l *limits) asks(p payer) buckets {
	if p.device != "" {
		return l.asked.of("", p.device, p.account)
	}
	return l.asked.of(l.asked.address.key(p.addr), "", p.account)
}

// request counts such a request.
func (l *limits) request(p payer, now time.Time) *excess {
	b := l.asks(p)
	return b.pay(now)
}

// refuses reports whether request would refuse, and counts nothing.
func (l *limits) refuses(p payer, now time.Time) bool {
	b := l.asks(p)
	return b.wait(now) > 0
}

// refund takes back what request counted, for what is not counted after all: an answer
// that was not given, or that lay in memory, for a school loads the same page and all that
// belongs to it in one second.
func (l *limits) refund(p payer, now time.Time) {
	b := l.asks(p)
	b.giveBack(now)
}

// join counts a ticket that is about to be given.
func (l *limits) join(p payer, now time.Time) *excess {
	b := l.joined.of(l.joined.address.key(p.addr), "", p.account)
	return b.pay(now)
}

// claim counts a try to take a pass, also by who comes into a room with a ticket:
// where nothing bounds who is inside, each takes a token.
func (l *limits) claim(p payer, now time.Time) *excess {
	b := l.claimed.of(l.claimed.address.key(p.addr), p.device, p.account)
	return b.pay(now)
}

// buy counts a press on buy.
func (l *limits) buy(p payer, now time.Time) *excess {
	b := l.bought.of(l.bought.address.key(p.addr), p.device, p.account)
	return b.pay(now)
}

// all are the limits that there are, in the same order at any time.
func (l *limits) all() []limit {
	all := []limit{l.joined.address, l.joined.account, l.blocks}
	for _, t := range []toll{l.asked, l.claimed, l.bought} {
		all = append(all, t.address, t.device, t.account)
	}
	return all
}

// sweep gives memory back that nobody's requests give back.
func (l *limits) sweep(now time.Time) {
	for _, one := range l.all() {
		one.buckets.Sweep(now)
	}
}
