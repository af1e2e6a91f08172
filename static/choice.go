package static

import (
	"slices"
	"strings"
)

// Others are the languages that the reader may choose instead of that of the page. A page
// in a frame has none: no browser keeps what is chosen there.
func (d document) Others() []tongue {
	if d.Page == Framed {
		return nil
	}
	offered := known(strings.Fields(d.Offered))
	return slices.DeleteFunc(slices.Clone(tongues()), func(t tongue) bool {
		return t.Tag == d.Lang || !slices.Contains(offered, t.Tag)
	})
}

// Return is where the choice leads back to; empty: to the page's own address, which the
// browser tells by itself. The address of the answer to a form is not one to ask again.
func (d document) Return() string {
	if !d.Posted {
		return ""
	}
	return d.Again
}
