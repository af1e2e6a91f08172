package proxy

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy/challenge"
	"github.com/waitroom/waitroom/static"
)

// finding is what is wrong with what somebody shows who wants a ticket; empty:
// nothing. It is a code that clients may act on.
type finding string

const (
	findNoChallenge finding = "no_challenge"      // none, or not one of ours for this sale
	findExpired     finding = "challenge_expired" // to be tried again with a new one
	findSpent       finding = "challenge_spent"   // the same: it has given a ticket
	findNoProof     finding = "no_proof"
	findTooEarly    finding = "too_early"
	findCheckFailed finding = "check_failed"
	findCheckAway   finding = "check_away" // who should have checked does not answer
	findBlockFull   finding = "block_full"
)

// again reports whether a shopper is to try again at once, suspected of nothing.
func (f finding) again() bool { return f == findExpired || f == findSpent }

// clockSlack is by how much the clocks of two edges, or of one before and after a
// look at Redis, may differ: who waits as told is never too early.
const clockSlack = 250 * time.Millisecond

// doorman asks something of who wants a ticket, and judges what they show.
type doorman struct {
	bots   configs.Bots
	signer *challenge.Signer
	load   *challenge.Load
	check  *checker // nil: nobody else is asked
}

// newDoorman goes on with what the last one has seen, if there is one.
func newDoorman(cfg *configs.Config, last *house, m *metrics, log *zap.Logger) (*doorman, error) {
	signer, err := challenge.NewSigner(cfg.Secrets)
	if err != nil {
		return nil, err
	}
	d := &doorman{bots: cfg.Bots, signer: signer, load: &challenge.Load{}}
	if last != nil {
		d.load = last.doorman.load
	}
	if cfg.Bots.Check != nil {
		d.check = newChecker(*cfg.Bots.Check, m.checked, log)
	}
	return d, nil
}

// asks reports whether anything is asked.
func (d *doorman) asks() bool { return d.bots.Asks() }

// behind reports whether suspicious entries get a ticket behind the draw.
func (d *doorman) behind() bool { return d.bots.Suspicious == configs.Behind }

// bits is how hard a proof is at this instant; 0: none is asked.
func (d *doorman) bits(now time.Time) int {
	if !d.bots.Proof {
		return 0
	}
	return challenge.Bits(d.load.PerSecond(now))
}

// accepted notes a proof that has given a ticket: the more there are, the harder the
// next ones get.
func (d *doorman) accepted(now time.Time) { d.load.Accepted(now) }

// ask is what is asked for a ticket of a sale. Nothing is kept of it.
func (d *doorman) ask(sale *configs.Sale, bits int, now time.Time) static.Asked {
	a := static.Asked{
		Challenge: d.signer.Sign(sale.Key, challenge.New(bits, now)),
		Bits:      bits, Puzzles: challenge.Puzzles, Behind: d.behind(),
	}
	if d.bots.LeastTime > 0 {
		a.After = d.bots.LeastTime + clockSlack
	}
	if c := d.bots.Check; c != nil {
		a.Check, a.SiteKey = string(c.Kind), c.SiteKey
	}
	return a
}

// judge says what is wrong with what is shown for a ticket of a sale. What costs
// the least is looked at first; who could be asked for money is asked last, and
// only about those who have shown all else. bits is how hard a proof is by now.
func (d *doorman) judge(ctx context.Context, sale *configs.Sale, e evidence, addr netip.Addr, bits int, now time.Time) (challenge.Challenge, finding) {
	c, err := d.signer.Open(sale.Key, e.Challenge, now)
	switch {
	case errors.Is(err, challenge.ErrStale):
		return c, findExpired
	case err != nil:
		return c, findNoChallenge
	case bits > 0 && c.Bits == 0: // asked for before a proof was
		return c, findExpired
	case c.Easy(bits, now.Add(-d.bots.LeastTime)): // who has to wait may
		return c, findExpired
	case d.bots.Proof && !challenge.Solved(e.Challenge, c.Bits, e.Solution):
		return c, findNoProof
	case d.bots.LeastTime > 0 && now.Sub(c.Issued) < d.bots.LeastTime:
		return c, findTooEarly
	case d.check == nil:
		return c, ""
	}
	return c, d.check.ask(ctx, e.check(), addr)
}
