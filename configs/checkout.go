package configs

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// fieldHole stands in a checkout's address for what the buy said of one of its fields.
var fieldHole = regexp.MustCompile(`\{buy\.([^{}\s]{1,100})\}`)

// CheckoutFor is the checkout's address for one reservation. said gives what the buy
// that got it said of a field, empty where it said nothing.
func (s *Sale) CheckoutFor(reservation string, said func(field string) string) string {
	address := fieldHole.ReplaceAllStringFunc(s.Checkout, func(hole string) string {
		return url.QueryEscape(said(fieldHole.FindStringSubmatch(hole)[1]))
	})
	return strings.ReplaceAll(address, "{reservation}", reservation)
}

// CheckoutFields are the fields of a buy that its checkout's address tells, each once;
// most tell none.
func (s *Sale) CheckoutFields() []string {
	var names []string
	for _, hole := range fieldHole.FindAllStringSubmatch(s.Checkout, -1) {
		if !slices.Contains(names, hole[1]) {
			names = append(names, hole[1])
		}
	}
	return names
}

// misplaced complains of a checkout's address that tells a field outside of its query,
// where one that was typed could lead elsewhere, and of one that tells the reservation
// only where no server sees it.
func misplaced(text string) *complaint {
	before, _, _ := strings.Cut(text, "?")
	address, after, _ := strings.Cut(text, "#")
	if strings.Contains(after, reservation) && !strings.Contains(address, reservation) && !clientRoute(after) {
		return complain("{reservation} stands behind #, which no server sees").advise("write it before, as /checkout?reservation={reservation}#pay")
	}
	if fieldHole.MatchString(before) || fieldHole.MatchString(after) {
		return complain("{buy.…} stands outside of the query").advise("write it behind the question mark, as /checkout?reservation={reservation}&size={buy.size}")
	}
	return nil
}
