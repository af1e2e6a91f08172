package gate

import "context"

// A ticket has one reservation at a time, also when accounts differ: a pass can be
// copied. Receipts live at the account's home, so of several buckets the ticket's
// own home says which account may use it, and in which generation. An account whose
// home is the ticket's needs no binding: there one script sees both.
//
// To take a ticket over, an account first fences the one that has it, in that
// one's home: nothing is out there under the ticket, and no binding of an earlier
// generation will get anything. Then it swaps the binding for its own, of the next
// generation, if nobody else has. What an account was told of its binding is worth
// nothing under another epoch than the one it was told in.

// binding is what an account shows for a ticket.
type binding struct {
	generation string // of the ticket's bucket, or one of these
	epoch      uint64
}

const (
	unneeded  = ""     // there is one bucket
	atHome    = "home" // it is the ticket's
	worthless = "0"    // somebody else has the ticket
)

// bind lets an account use a ticket. It fails with an *AlreadyBoughtError when
// another account has something out under it.
func (g *Gate) bind(ctx context.Context, ticket, account string, least uint64) (binding, error) {
	switch home := g.home(ticket); {
	case len(g.buckets) == 1:
		return binding{generation: unneeded}, nil
	case home == g.home(account):
		return binding{generation: atHome}, nil
	}
	for range bindTries {
		r, err := g.askBind(ctx, ticket, account, least, "")
		if err != nil {
			return binding{}, err
		}
		if r.word() != "bound" {
			return readBinding(r)
		}
		if err := g.evict(ctx, ticket, account, r); err != nil {
			return binding{generation: worthless}, err
		}
	}
	return binding{}, ErrBusy
}

// bindTries is how often two may take a ticket from each other before one is told to
// ask again: mostly the first try decides.
const bindTries = 4

// evict takes a ticket over from the account that an answer names, unless that has
// something out under it. Whether it was faster than others, the next bind tells.
func (g *Gate) evict(ctx context.Context, ticket, account string, r reply) error {
	var other string
	var generation, epoch uint64
	if err := r.scan("bound", &other, &generation, &epoch); err != nil {
		return err
	}
	fenced, err := g.callAgain(ctx, g.home(other), scriptFence, ticket, generation+1, epoch)
	if err == nil {
		err = fenced.ok()
	}
	if err != nil {
		return err
	}
	r, err = g.askBind(ctx, ticket, account, generation+1, other)
	if err == nil && r.word() != "bound" {
		_, err = readBinding(r)
	}
	return err
}

func (g *Gate) askBind(ctx context.Context, ticket, account string, least uint64, from string) (reply, error) {
	return g.callAgain(ctx, g.home(ticket), scriptBind, ticket, account, least, from)
}

func readBinding(r reply) (binding, error) {
	b := binding{generation: worthless}
	err := r.ok(&b.generation, &b.epoch)
	return b, err
}

// leastOf reads the lowest generation that a home accepts of a ticket.
func leastOf(r reply) (least uint64, err error) {
	err = r.scan("unbound", &least)
	return least, err
}
