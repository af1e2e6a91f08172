package express

import (
	"net"
	"testing"
	"time"
)

// clocked is a connection that notes its deadlines.
type clocked struct {
	net.Conn
	read, write time.Time
}

func (c *clocked) SetReadDeadline(by time.Time) error {
	c.read = by
	return nil
}

func (c *clocked) SetWriteDeadline(by time.Time) error {
	c.write = by
	return nil
}

// TestSetDeadline: over HTTP/1.1 the lane knows of both, over HTTP/2 they are its own.
func TestSetDeadline(t *testing.T) {
	t.Parallel()
	l, by := New(nil, Times{Head: time.Minute, Idle: time.Minute, Write: time.Minute}, 1, nil), time.Now().Add(time.Hour)
	under := &clocked{}
	one := l.HTTP1(under, "", 1<<10, nil, func(*HTTP1) Place { return nil })
	if err := one.SetDeadline(by); err != nil {
		t.Fatal(err)
	}
	if one.readBy != by || one.out.writeBy != by || under.read != by || under.write != by {
		t.Errorf("read %v, write %v, under it %v and %v, want all at %v", one.readBy, one.out.writeBy, under.read, under.write, by)
	}
	under = &clocked{}
	two := l.HTTP2(under, "", 1<<10, nil, func(*HTTP2) Place { return nil })
	if err := two.SetDeadline(by); err != nil || !under.read.IsZero() || !under.write.IsZero() {
		t.Errorf("over HTTP/2: %v, %v, %v, want none", err, under.read, under.write)
	}
}
