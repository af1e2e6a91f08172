//go:build !linux

package listen

// hasLeft reports whether the client has left and everything it sent is read: more is
// not to be known here.
func (c *conn) hasLeft() bool { return c.gone() }
