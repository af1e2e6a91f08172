package static

import (
	"bytes"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/js"
)

// A page is to arrive with its first packets, so style and script are sent without what
// only their authors need: comments, space, and the names inside the script.

// smallScript is a script with short names for all that it keeps to itself, in the
// language of 2019, which phones in use still have to read.
func smallScript(source string) string { return small(&js.Minifier{Version: 2019}, source) }

// smallStyle is a style sheet without what changes nothing.
func smallStyle(source string) string { return small(&css.Minifier{}, source) }

func small(m minify.Minifier, source string) string {
	var out bytes.Buffer
	if err := m.Minify(minify.New(), &out, bytes.NewReader([]byte(source)), nil); err != nil {
		panic("static: " + err.Error()) // an embedded file, which the tests have read
	}
	return out.String()
}
