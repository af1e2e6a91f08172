package configs_test

import (
	"slices"
	"testing"

	"github.com/waitroom/waitroom/configs"
)

// TestCheckoutFor: what a buy said goes into the address, escaped, and nowhere else.
func TestCheckoutFor(t *testing.T) {
	t.Parallel()
	said := map[string]string{"size": "4&2=#", "attributes[colour]": "grün", "evil": "{reservation}{buy.size}"}
	for _, test := range []struct {
		checkout, want string
		fields         []string
	}{
		{"/pay/{reservation}", "/pay/R", nil},
		{"/pay?r={reservation}&size={buy.size}", "/pay?r=R&size=4%262%3D%23", []string{"size"}},
		{"/pay?c={buy.attributes[colour]}&r={reservation}&again={buy.attributes[colour]}", "/pay?c=gr%C3%BCn&r=R&again=gr%C3%BCn", []string{"attributes[colour]"}},
		{"/pay?r={reservation}&none={buy.none}", "/pay?r=R&none=", []string{"none"}},
		{"/pay?r={reservation}&e={buy.evil}", "/pay?r=R&e=%7Breservation%7D%7Bbuy.size%7D", []string{"evil"}},
	} {
		s := configs.Sale{Checkout: test.checkout}
		if got := s.CheckoutFor("R", func(field string) string { return said[field] }); got != test.want {
			t.Errorf("%s becomes %s, want %s", test.checkout, got, test.want)
		}
		if got := s.CheckoutFields(); !slices.Equal(got, test.fields) {
			t.Errorf("%s asks for %q, want %q", test.checkout, got, test.fields)
		}
	}
}
