package proxy

import (
	"net/netip"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/shedding"
)

const (
	limitKeys = 1 << 17 // most keys kept for each limit
	pollRate  = 5       // requests a second with one ticket: above what anyone is told to poll
)

// limits are the edge's token buckets. What is answered from memory alike for
// everybody (the product page, sold out) counts towards none but the address's.
type limits struct {
	addressJoin, addressRequest, deviceBuy, accountBuy, poll *shedding.Limiter

	atOrigin *atOnce
}

// excess is a request above a limit.
type excess struct {
	limit string        // its name in records
	retry time.Duration // until the next is allowed
}

func newLimits(c configs.Limits) *limits {
	poll := configs.Limit{Off: c.Address.Request.Off, Rate: configs.Rate{Count: pollRate, Per: time.Second}}
	return &limits{
		atOrigin: newAtOnce(c.Address.Request),
		// A school behind one address joins in the same second.
		addressJoin:    limiter(c.Address.Join, 60),
		addressRequest: limiter(c.Address.Request, 2),
		deviceBuy:      limiter(c.Device.Buy, 2),
		accountBuy:     limiter(c.Account.Buy, 2),
		poll:           limiter(poll, 4),
	}
}

// limiter allows a burst of so many seconds' worth.
func limiter(l configs.Limit, seconds float64) *shedding.Limiter {
	if l.Off {
		return shedding.NewLimiter(l, 1, limitKeys)
	}
	return shedding.NewLimiter(l, max(1, int(l.Rate.PerSecond()*seconds)), limitKeys)
}

// join counts a ticket that is about to be given.
func (l *limits) join(addr netip.Addr, now time.Time) *excess {
	return count(l.addressJoin, shedding.AddressKey(addr), "address_join", now)
}

// buy counts a try to claim or to buy, by device and by account.
func (l *limits) buy(s shopper, addr netip.Addr, now time.Time) *excess {
	device := s.device()
	if device == "" {
		return nil // it can only join, and joins are counted
	}
	if over := count(l.deviceBuy, device, "device_buy", now); over != nil {
		return over
	}
	return count(l.accountBuy, s.account, "account_buy", now)
}

// claim counts a try to come into a room with a ticket: where nothing bounds who
// is inside, each takes a token.
func (l *limits) claim(device string, now time.Time) *excess {
	return count(l.deviceBuy, device, "device_buy", now)
}

// request counts any other request: by ticket where a valid one says who it is,
// else by address.
func (l *limits) request(device string, addr netip.Addr, now time.Time) *excess {
	if device != "" {
		return count(l.poll, device, "ticket_request", now)
	}
	return count(l.addressRequest, shedding.AddressKey(addr), "address_request", now)
}

func count(l *shedding.Limiter, key, name string, now time.Time) *excess {
	if retry, ok := l.Allow(key, now); !ok {
		return &excess{limit: name, retry: retry}
	}
	return nil
}
