package proxy

// Where a sale matches passes to units (match_stock), each pass keeps a unit for whom
// it was given, so it is good for one: once that was bought, or the pass has ended, the
// turn is what is left, and claims another one.

// used reports whether the shopper's pass is one that has got its units there.
func (v *visit) used() bool {
	p := v.shopper.pass
	return v.door.sale.MatchStock && p != nil && p.Reservation != ""
}

// admitted finds out whether the shopper has a pass with which to go to the gate. That
// one was bought with is, while what it got is not over: the gate will say what that
// is, so it is asked, and as long as it does not answer nobody knows. A request may have
// been under way for longer than its pass lives.
func (v *visit) admitted() (bool, error) {
	switch {
	case v.shopper.pass == nil:
		return false, nil
	case v.used():
		n, ok, err := v.find()
		return ok && holds(n.Status), err
	default:
		return !v.door.sale.MatchStock || v.board.now().Before(v.shopper.pass.Expires), nil
	}
}

// spend tells the line, at its next tick, that the gate gave units for a pass.
func (v *visit) spend() {
	p := v.shopper.pass
	if p.Reservation != "" {
		return // was told before
	}
	if turn, ok := v.board.line.Turn(p.Number); ok {
		v.door.line.Spend(turn, p.Admitted)
	}
}
