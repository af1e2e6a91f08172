package static

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"
)

// Look is what a shop has its pages look like and say in place of waitroom's own.
// Whatever is empty is waitroom's own. Its maker has checked how each part is written:
// that colours are colours, a logo has a text, links lead somewhere, texts are one line,
// and no template has another name. What of it can be shown, [NewBrand] finds out.
type Look struct {
	Colour     string // of buttons and figures, #rrggbb
	DarkColour string // the same where the reader's device is dark; empty: derived
	Logo       []byte // an SVG, PNG or WebP picture
	LogoText   string // what it says, for who cannot see it
	// Texts are by language, "" for all of them, and by name.
	Texts     map[string]map[string]string
	Links     []Link            // at the foot of each page
	Templates map[string]string // page.html, view.html, page.css: what they hold
	Languages []string          // that pages are in, of [Languages]; none: all there are
}

// Link leads from the foot of a page to another one.
type Link struct {
	Text, To string
	Texts    map[string]string // in place of Text in a language
}

// in is the link as a language has it.
func (l Link) in(lang string) Link {
	if text, there := l.Texts[lang]; there {
		l.Text = text
	}
	return l
}

// Brand is a Look that is ready to be shown: it can be read, fits the content policy,
// and leaves every page what its script needs. A nil Brand is waitroom's own look. It
// never changes.
type Brand struct {
	look   Look
	logo   *logo
	shades []shade // light and dark; none: waitroom's own
	layout *template.Template
	style  string // the whole one
	policy string // with its hash
	speaks func(tag string) catalog
}

// NewBrand makes a Look ready, which is not to be changed any more. The faults are all
// that pages cannot do with it; there is no Brand then.
func NewBrand(l Look) (*Brand, Faults) {
	b := &Brand{look: l, style: style, layout: layout}
	var faults Faults
	also := func(more Faults) { faults = append(faults, more...) }
	var more Faults
	b.shades, more = l.shades()
	also(more)
	b.logo, more = l.logo()
	also(more)
	also(l.texts())
	also(l.judgeLanguages())
	also(b.plan())
	if len(faults) > 0 {
		return nil, faults
	}
	b.dress()
	b.speaks = b.inEach()
	if faults = b.try(); len(faults) == 0 {
		faults = b.weigh()
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return b, nil
}

// plan takes up the templates of the look.
func (b *Brand) plan() (faults Faults) {
	sheet, wrong := b.look.sheet()
	if wrong != nil {
		faults.add("brand.templates", wrong.what, wrong.right)
	}
	b.style = sheet
	if b.look.Templates["page.html"] == "" && b.look.Templates["view.html"] == "" {
		return faults
	}
	if b.layout, wrong = b.look.plan(); wrong != nil {
		faults.add("brand.templates", wrong.what, wrong.right)
	}
	return faults
}

// judgeLanguages finds languages that pages are not in.
func (l Look) judgeLanguages() (faults Faults) {
	for i, tag := range l.Languages {
		if !slices.Contains(Languages(), tag) {
			faults.add(fmt.Sprintf("languages[%d]", i), "pages are not in "+tag, "they are in "+strings.Join(Languages(), ", "))
		}
	}
	for i, link := range l.Links {
		for tag := range sorted(link.Texts) {
			if !slices.Contains(Languages(), tag) {
				faults.add(fmt.Sprintf("brand.links[%d].texts.%s", i, tag), "pages are not in "+tag, "they are in "+strings.Join(Languages(), ", "))
			}
		}
	}
	return faults
}

// dress puts the style together.
func (b *Brand) dress() {
	b.style += paint(b.shades)
	if b.logo != nil {
		b.style += logoStyle
	}
	if len(b.look.Links) > 0 {
		b.style += linksStyle
	}
	b.policy = strings.Replace(policy, digest(style), digest(b.style), 1)
}

// linksStyle keeps them quiet: whoever looks for them finds them.
const linksStyle = `.links{display:flex;flex-wrap:wrap;justify-content:center;gap:.25rem 1.25rem;margin-block-start:1rem;font-size:.9375rem}
.links a{padding-block:.25rem;color:var(--soft)}
`

// inEach gives the texts of a language as the brand has them, made when they are asked
// for first.
func (b *Brand) inEach() func(tag string) catalog {
	all := map[string]func() catalog{}
	for _, tag := range Languages() {
		all[tag] = sync.OnceValue(func() catalog {
			c := b.look.over(speaking(tag))
			c.views = map[bool]template.HTML{false: newViews(c, false, b), true: newViews(c, true, b)}
			return c
		})
	}
	return func(tag string) catalog {
		if c := all[tag]; c != nil {
			return c()
		}
		return all["en"]()
	}
}

// Style is the style of the page, as an element: its hash is in the policy.
func (d document) Style() template.HTML {
	if d.Brand == nil {
		return styleElement
	}
	return template.HTML("<style>" + d.Brand.style + "</style>") //nolint:gosec // no part of it can end it
}

// Logo is the shop's; nil if it has none.
func (d document) Logo() *logo {
	if d.Brand == nil {
		return nil
	}
	return d.Brand.logo
}

// Links are those at the foot of the page, in its language.
func (d document) Links() []Link {
	if d.Brand == nil {
		return nil
	}
	links := slices.Clone(d.Brand.look.Links)
	for i, link := range links {
		links[i] = link.in(d.Lang)
	}
	return links
}

// tabColour is that of the tab's icon where nothing is told by it.
func (b *Brand) tabColour() string {
	if b == nil || b.shades == nil {
		return light.calm.tab()
	}
	return b.shades[0].tab()
}
