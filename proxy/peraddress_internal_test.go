package proxy

import (
	"net/netip"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
)

func TestPerAddress(t *testing.T) {
	t.Parallel()
	one, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	a := &perAddress{most: 2, of: map[string]int{}}
	first, over := a.enter(one)
	if over != nil {
		t.Fatal("the first is refused")
	}
	second, _ := a.enter(one)
	if _, over := a.enter(one); over == nil || over.limit != "address_at_once" {
		t.Errorf("the third: %+v", over)
	}
	if leave, over := a.enter(other); over != nil {
		t.Error("another address is refused")
	} else {
		leave()
	}
	first()
	third, over := a.enter(one)
	if over != nil {
		t.Fatal("refused after one has left")
	}
	second()
	third()
	if len(a.of) != 0 {
		t.Errorf("%v is kept of who has left", a.of)
	}
	free := &perAddress{}
	for range 1000 {
		if _, over := free.enter(one); over != nil {
			t.Fatal("refused without a bound")
		}
	}
}

// TestPerAddress_Most: a higher rate lets more stay.
func TestPerAddress_Most(t *testing.T) {
	t.Parallel()
	of := func(count int, per time.Duration) configs.Limit {
		return configs.Limit{Rate: configs.Rate{Count: count, Per: per}}
	}
	for _, test := range []struct {
		limit configs.Limit
		want  int
	}{
		{of(200, time.Second), 256}, {of(1, time.Hour), 256}, {of(2000, time.Second), 2000}, {of(60_000, time.Minute), 1000}, {configs.Limit{Off: true}, 0},
	} {
		if got := newPerAddress(test.limit).most; got != test.want {
			t.Errorf("%+v: %d, want %d", test.limit, got, test.want)
		}
	}
}
