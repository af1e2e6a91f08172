package static

import (
	"bytes"
	"fmt"
	"html/template"
)

// Render writes a page about v. Every one of Known renders; the error of another
// is the caller's own mistake.
func Render(p Page, v View) ([]byte, error) {
	if _, ok := traits[p]; !ok {
		return nil, fmt.Errorf("render %q: no such page", p)
	}
	c, layout := speaking(v.Lang), layout
	if v.Brand != nil {
		c, layout = v.Brand.speaks(v.Lang), v.Brand.layout
	}
	var out bytes.Buffer
	out.Grow(len(style) + len(script) + len(c.views[v.Room]) + len(c.live) + 12<<10)
	if err := layout.Execute(&out, newDocument(c, p, v)); err != nil {
		return nil, fmt.Errorf("render %q: %w", p, err)
	}
	return out.Bytes(), nil
}

var (
	styleElement  = template.HTML("<style>" + style + "</style>")
	scriptElement = template.HTML("<script>" + script + "</script>")
	buyElement    = template.HTML("<script>" + buyScript + "</script>")
	proveElement  = template.HTML("<script>" + proveScript + "</script>")
)

// layout gets the style and the script as finished elements: html/template
// would rewrite what is inside them, and their hashes are in the policy.
var layout = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"script": func(p Page) template.HTML {
		if p == Prove {
			return proveElement
		}
		if !traits[p].Common {
			return buyElement
		}
		return scriptElement
	},
}).ParseFS(files, "web/*.html"))
