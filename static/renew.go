package static

import (
	"cmp"
	"fmt"
	"html/template"
	"net/url"
	"time"
)

// Told is the query of the line's address that a page of who was told [Hopeless]
// adds: in line again, they are shown [Chance].
const Told = "told"

// again is where a page renews itself. What may answer a posted form goes to
// the line, or a reload would post once more; a room answers none with a page.
// Who was told that it is hopeless says so there: nobody else remembers it.
func (v View) again(p Page) string {
	if v.Sale == "" || v.Room {
		return ""
	}
	line := prefix + url.PathEscape(v.Sale) + "/line"
	if p == Hopeless || p == Chance {
		line += "?" + Told
	}
	return line
}

// renew is the content attribute of a meta refresh, which html/template does
// not fill because of what it can do. A path-escaped address holds no quote.
func renew(after time.Duration, address string) template.HTMLAttr {
	if after <= 0 {
		return ""
	}
	content := fmt.Sprint(seconds(after))
	if address != "" {
		content += "; url=" + address
	}
	return template.HTMLAttr(`content="` + content + `"`)
}

// Docs is where the draw is explained, and how to have the program that checks it.
func (d document) Docs() string {
	return "https://github.com/waitroom/waitroom/blob/main/docs/draw.md"
}

// ProofCommand checks the place without a browser.
func (d document) ProofCommand() string {
	fill := holes("shop", "https://"+cmp.Or(d.Host, "…"), "sale", d.Sale, "number", fmt.Sprint(d.Number))
	return fill.Replace(d.T.texts["live.proof.command"])
}

// RefreshSeconds is for the script of a page that asks for nothing.
func (d document) RefreshSeconds() int64 { return seconds(d.Refresh) }

// seconds rounds up, so that nobody comes back too early.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
