package static_test

import (
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/static"
)

// TestSame: what a page shares with others is all in it, in order, holds nothing that is
// of one shopper, and leaves few kilobytes.
func TestSame(t *testing.T) {
	t.Parallel()
	const secret = "4f9c1d7e"
	for _, lang := range append(static.Languages(), "") {
		for _, room := range []bool{false, true} {
			for _, p := range static.Known() {
				v := static.View{
					Lang: lang, Room: room, Sale: secret, Title: secret, Message: secret, ProductPage: "/" + secret, BuyPath: "/" + secret, Reservation: secret,
					Checkout: "/" + secret, Kept: secret + "=1", HasNumber: true, Number: 4711, HasPlace: true, Place: 4711, Ahead: 4711, Drawn: 9999, High: time.Hour, Refresh: time.Minute,
				}
				body, err := static.Render(p, v)
				if err != nil {
					t.Fatal(err)
				}
				rest, own := string(body), ""
				for _, part := range static.Same(p, v) {
					before, after, ok := strings.Cut(rest, part)
					if !ok || strings.Contains(part, secret) || strings.Contains(part, "4711") {
						t.Fatalf("%s in %q: %d bytes that begin with %.60q are not in their place: %t", p, lang, len(part), part, ok)
					}
					rest, own = after, own+before
				}
				if most := 12 << 10; len(own)+len(rest) > most {
					t.Errorf("%s in %q: %d bytes are left for each page, want %d at most", p, lang, len(own)+len(rest), most)
				}
			}
		}
	}
}
