package gate

import (
	"context"
	"fmt"
)

// Settle acknowledges entries, takes them out of the stream, and leaves the first
// notes of the orders that they became, all in one step: until then the entries
// come again, so that no note is lost with whoever should have left it. Call it
// only after the commit that made them orders. The notes are of accounts at home
// in this bucket, say held, and replace none. It may run beside Read. gone is how many
// entries were not there any more: another reader had them too, or Redis forgot them.
func (r *Reader) Settle(ctx context.Context, entries []string, first []Note) (gone int, err error) {
	if len(entries) == 0 {
		return 0, nil
	}
	args := make([]any, 0, 2+len(entries)+4*len(first))
	args = append(args, group, len(entries))
	for _, e := range entries {
		args = append(args, e)
	}
	for _, n := range first {
		args = append(args, n.Reservation, millis(n.PayBefore), n.Version, n.Qty)
	}
	answer, err := r.gate.callAgain(ctx, r.bucket, scriptSettle, args...)
	if err == nil {
		err = answer.ok(&gone)
	}
	if err != nil {
		return 0, fmt.Errorf("acknowledge winners: %w", err)
	}
	return gone, nil
}

// Done is Settle without notes.
func (r *Reader) Done(ctx context.Context, entries ...string) error {
	_, err := r.Settle(ctx, entries, nil)
	return err
}
