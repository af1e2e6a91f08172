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
	var out bytes.Buffer
	out.Grow(2 * (len(style) + len(script)))
	if err := layout.Execute(&out, newDocument(english, p, v)); err != nil {
		return nil, fmt.Errorf("render %q: %w", p, err)
	}
	return out.Bytes(), nil
}

// layout gets the style and the script as finished elements: html/template
// would rewrite what is inside them, and their hashes are in the policy.
var layout = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"style":  func() template.HTML { return template.HTML("<style>" + style + "</style>") },
	"script": func() template.HTML { return template.HTML("<script>" + script + "</script>") },
}).ParseFS(files, "web/*.html"))
