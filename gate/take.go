package gate

import (
	"context"
	"errors"
	"slices"
)

// taking is a Reserve or a Retake.
type taking struct {
	script          *script
	account, ticket string
	qty             int
	args            []any // before those of the binding
}

// takeTries is how often, besides once for each bucket, a taking begins anew: the last
// units may be gone each time that they were found.
const takeTries = 8

// take runs a taking's script in the account's home until it answers for good. Of
// one bucket its first answer is. Of several the ticket may have to be bound
// before, and a home that has too little is refilled. Each round gets somebody a
// unit or a ticket, or learns that there is none; who is outrun in all of them is
// told so. The mark is that of a gate that was found sold out.
func (g *Gate) take(ctx context.Context, t taking) (reply, Mark, error) {
	var least uint64 // generation of the binding
	for range len(g.buckets) + takeTries {
		answer, err := g.takeOnce(ctx, t, least)
		if err != nil || len(g.buckets) == 1 {
			return answer, Mark{}, err
		}
		var mark Mark
		switch answer.word() {
		case "sold_out":
			mark, err = g.refill(ctx, g.home(t.account), t.qty)
		case "bound":
			err = g.evict(ctx, t.ticket, t.account, answer)
		case "unbound":
			least, err = leastOf(answer)
		default:
			return answer, Mark{}, nil
		}
		if err != nil {
			return reply{}, mark, err
		}
	}
	return reply{}, Mark{}, ErrBusy
}

// takeOnce binds the ticket and runs the script. Where somebody else has the
// ticket the script runs too, without it: it may find that it has answered before.
func (g *Gate) takeOnce(ctx context.Context, t taking, least uint64) (reply, error) {
	b, no := g.bind(ctx, t.ticket, t.account, least)
	if _, already := errors.AsType[*AlreadyBoughtError](no); no != nil && !already {
		return reply{}, no
	}
	answer, err := g.callAgain(ctx, g.home(t.account), t.script, append(slices.Clip(t.args), b.generation, b.epoch)...)
	if err == nil && no != nil && answer.word() == "unbound" {
		err = no
	}
	return answer, err
}
