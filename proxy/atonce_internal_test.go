package proxy

import (
	"net/netip"
	"testing"
)

func TestAtOnce(t *testing.T) {
	t.Parallel()
	one, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	a := &atOnce{most: 2, of: map[string]int{}}
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
	free := &atOnce{}
	for range 1000 {
		if _, over := free.enter(one); over != nil {
			t.Fatal("refused without a bound")
		}
	}
}
