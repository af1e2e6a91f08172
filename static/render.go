package static

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"strings"
)

// Render writes a page about v. Every one of Known renders; the error of another
// is the caller's own mistake.
func Render(p Page, v View) ([]byte, error) {
	if _, ok := traits[p]; !ok {
		return nil, fmt.Errorf("render %q: no such page", p)
	}
	if v.Brand != nil {
		return v.Brand.render(p, v)
	}
	return execute(layout, newDocument(speaking(v.Lang), p, v))
}

func execute(layout *template.Template, d document) ([]byte, error) {
	var out bounded
	out.Grow(len(style) + len(script) + len(d.Views) + len(d.Live) + 12<<10)
	if err := layout.Execute(&out, d); err != nil {
		return nil, fmt.Errorf("render %q: %w", d.Page, err)
	}
	return out.Bytes(), nil
}

// largest is more than any page has, in bytes.
const largest = 1 << 20

var errEndless = errors.New("more than a megabyte comes of it")

// bounded is a page as it is written.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > largest {
		return 0, errEndless
	}
	return b.Buffer.Write(p)
}

var (
	styleElement  = template.HTML("<style>" + style + "</style>")
	scriptElement = scriptElements(through, script)
	ownElement    = scriptElements(through, ownScript)
	proveElement  = scriptElements(proveScript)
)

func scriptElements(scripts ...string) template.HTML {
	return template.HTML("<script>" + strings.Join(scripts, "</script><script>") + "</script>")
}

// base gets the script, as a page does the style, as a finished element: html/template
// would rewrite what is inside, and their hashes are in the policy. It is never executed,
// so that a shop's own templates can be put over it.
var base = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"script": func(p Page) template.HTML {
		if p == Prove {
			return proveElement
		}
		if !traits[p].Common {
			return ownElement
		}
		return scriptElement
	},
}).ParseFS(files, "web/*.html"))

var layout = template.Must(base.Clone())
