package framing

// Between reports whether a message has ended and no other one has begun.
func (r *Reader) Between() bool { return r.phase == inHead && r.seen == 0 }
