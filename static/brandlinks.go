package static

import (
	"fmt"
	"net/url"
	"strings"
)

// mostLinks is how many lead away from a page at its foot.
const mostLinks = 5

// judgeLinks finds what is wrong with the links of a look.
func (l Look) judgeLinks() (faults Faults) {
	if len(l.Links) > mostLinks {
		faults.add("brand.links", fmt.Sprintf("%d links", len(l.Links)), fmt.Sprintf("at most %d: keep those that shoppers need most", mostLinks))
	}
	for i, link := range l.Links {
		key := fmt.Sprintf("brand.links[%d]", i)
		u, err := url.Parse(link.To)
		path := strings.HasPrefix(link.To, "/") && !strings.HasPrefix(link.To, "//") && !strings.ContainsAny(link.To, "\\\r\n\t")
		switch {
		case strings.TrimSpace(link.Text) == "":
			faults.add(key+".text", "is empty", "write what shoppers read, as Help")
		case err != nil, !path && (u.Scheme != "https" || u.Host == ""):
			faults.add(key+".to", fmt.Sprintf("%q is not a link", link.To), "write a path as /help, or a whole address as https://www.example.com/help")
		}
	}
	return faults
}

// linksStyle keeps them quiet: whoever looks for them finds them.
const linksStyle = `.links{display:flex;flex-wrap:wrap;justify-content:center;gap:.25rem 1.25rem;margin-block-start:1rem;font-size:.9375rem}
.links a{padding-block:.25rem;color:var(--soft)}
`
