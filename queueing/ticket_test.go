package queueing_test

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/queueing"
)

// TestNewTicket: a number of a line has one name, whenever it is asked for, and
// no other number of any line has it.
func TestNewTicket(t *testing.T) {
	t.Parallel()
	now := time.Now()
	first := queueing.NewTicket("golden-toy/a", numbered(7), now)
	if again := queueing.NewTicket("golden-toy/a", numbered(7), now.Add(time.Hour)); again.ID != first.ID || again.Account() != first.Account() {
		t.Errorf("asked again: %x, want %x", again.ID, first.ID)
	}
	for _, other := range []queueing.Ticket{
		queueing.NewTicket("golden-toy/a", numbered(8), now), queueing.NewTicket("golden-toy/b", numbered(7), now), queueing.NewTicket("golden-toy/", numbered(7), now),
	} {
		if other.ID == first.ID {
			t.Errorf("number %d of %s has the name of number 7 of golden-toy/a", other.Number.Value, other.Sale)
		}
	}
	if first.Sale != "golden-toy/a" || first.Number != numbered(7) || !first.Issued.Equal(now) {
		t.Errorf("got %+v", first)
	}
}
