package static_test

import (
	"strings"
	"testing"

	"github.com/waitroom/waitroom/static"
)

// TestInvitedAsks: the page of an invitation that is not opened yet leads to it, and asks
// nothing by itself.
func TestInvitedAsks(t *testing.T) {
	t.Parallel()
	const link = "/.waitroom/golden-toy/invite?i=abc"
	for whole, want := range map[string]bool{link: true, "": false} {
		page := render(t, static.Invited, static.View{Title: "Golden toy", Whole: whole})
		if got := strings.Contains(page, `href="`+link+`"`) && strings.Contains(page, "Join the line"); got != want {
			t.Errorf("with %q: it leads there: %t, want %t", whole, got, want)
		}
		if got := strings.Contains(page, "you give up the place that you have now"); got != want {
			t.Errorf("with %q: it says that a place is given up: %t, want %t", whole, got, want)
		}
	}
}
