package ledger

import (
	"context"
	"fmt"

	"github.com/waitroom/waitroom/configs"
)

// pay applies a payment to its order. One conditional change decides between it
// and the order's expiry. For an order that holds no unit any more it fails with
// errLate where late money may take a unit again, else the money is due back.
func (b *Books) pay(ctx context.Context, p payment, late configs.LatePayment) (outcome, error) {
	out, err := b.decide(ctx, p, func(c conn, o order, ok bool) (outcome, error) {
		switch {
		case !ok:
			return outcomeRefund, c.refundRefused(ctx, p)
		case !p.pays(o.due()):
			return outcomeWrong, c.refundWrong(ctx, o, p)
		case o.Status == Pending:
			return outcomePaid, c.move(ctx, &o, paid, p)
		case o.Status == Paid:
			return outcomeRefund, c.refund(ctx, o.Sale, p, reasonSecond)
		case late == configs.Rehold:
			return "", errLate
		default:
			return outcomeRefund, c.refundOf(ctx, o, p, reasonLate)
		}
	})
	if err != nil {
		return "", fmt.Errorf("pay %s: %w", p.Reservation, err)
	}
	return out, nil
}

// rehold pays an order that has ended and whose next hold the gate has given
// (see gate.Retake): holds is how many it had before. The money is due back
// when the books have no unit; the new hold is then written down as one that
// must be released. It fails with errMovedOn when the order is no longer what
// the hold was taken for, and with errRebuilt when the hold may be gone: epoch is
// the gate's as the books had it before the hold was taken.
func (b *Books) rehold(ctx context.Context, p payment, holds int, epoch uint64) (outcome, error) {
	out, err := b.decide(ctx, p, func(c conn, o order, ok bool) (outcome, error) {
		if !ok || o.Status.Live() || o.Holds != holds {
			return "", errMovedOn
		}
		free, err := c.free(ctx, o)
		if err == nil {
			err = c.notRebuilt(ctx, o.Sale, epoch)
		}
		if err != nil {
			return "", err
		}
		if free {
			return outcomePaid, c.move(ctx, &o, reheld, p)
		}
		_, err = c.exec(ctx, `UPDATE sale_orders SET holds = holds + 1, released_at = NULL WHERE reservation_id = $1`, o.ID)
		if err != nil {
			return "", err
		}
		return outcomeRefund, c.refundOf(ctx, o, p, reasonLate)
	})
	if err != nil {
		return "", fmt.Errorf("pay %s late: %w", p.Reservation, err)
	}
	return out, nil
}

// decide claims a payment, locks its order, if there is one, and does with it
// what do says, all in one transaction. A payment that has been decided keeps
// its outcome, and do is not asked.
func (b *Books) decide(ctx context.Context, p payment, do func(c conn, o order, ok bool) (outcome, error)) (out outcome, err error) {
	err = b.inTx(ctx, func(c conn) error {
		was, done, err := c.claim(ctx, p)
		if out = was; done || err != nil {
			return err
		}
		o, ok, err := c.lockOrder(ctx, p.Reservation)
		if err != nil {
			return err
		}
		out, err = do(c, o, ok)
		return err
	})
	return out, err
}

// free reports whether the books can take an ended order's units again: they
// are there, and the account has no other live order. It locks the stock.
func (c conn) free(ctx context.Context, o order) (bool, error) {
	var left, others int
	err := c.row(ctx, `SELECT total - sold FROM sale_stock WHERE sale = $1 {lock}`, o.Sale).Scan(&left)
	if err != nil {
		return false, err
	}
	err = c.row(ctx, `SELECT COUNT(*) FROM sale_orders
		WHERE sale = $1 AND account = $2 AND status IN ('PENDING_PAYMENT', 'PAID')`, o.Sale, o.Account).Scan(&others)
	return left >= o.Qty && others == 0, err
}
