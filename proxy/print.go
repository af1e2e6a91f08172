package proxy

import (
	"bytes"
	"compress/gzip"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/waitroom/waitroom/static"
)

// mostPrints is how many pages lie ready, some fifty kilobytes each.
const mostPrints = 64

// prints are pages that say the same to many, kept as they were rendered: to refuse
// must not cost more than to serve.
type prints struct {
	pages *lru.Cache[print, printed]
}

// printed is a page, and the same packed with gzip, a fourth of it: most of what a page
// costs is to seal and to send it. Nothing in it is one shopper's, so that its length
// tells nobody anything.
type printed struct{ plain, packed []byte }

type print struct {
	page static.Page
	view static.View
}

func newPrints() *prints {
	pages, _ := lru.New[print, printed](mostPrints) // only sizes below one fail
	return &prints{pages: pages}
}

// render is static.Render of a page that tells nothing of one shopper, nor how many
// there are. Waits are told in coarse steps, so that few pages do for all.
func (p *prints) render(page static.Page, v static.View) (printed, error) {
	if page == static.SlowDown { // all that it says
		v = static.View{Sale: v.Sale, Room: v.Room, Title: v.Title, Message: v.Message,
			ProductPage: v.ProductPage, RenewAt: v.RenewAt, Retry: v.Retry, Refresh: v.Refresh}
	}
	v.Retry, v.Refresh = coarse(v.Retry), coarse(v.Refresh)
	v.Doors, v.Opens = coarse(v.Doors), coarse(v.Opens)
	v.Host, v.Entered = "", 0
	key := print{page, v}
	if one, ok := p.pages.Get(key); ok {
		return one, nil
	}
	body, err := static.Render(page, v)
	if err != nil {
		return printed{}, err
	}
	one := printed{body, packed(body)}
	p.pages.Add(key, one)
	return one, nil
}

func packed(body []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // there is this level
	_, _ = z.Write(body)                                  // memory takes all
	_ = z.Close()
	return b.Bytes()
}

// coarse is a wait that is not shorter: in whole seconds, beyond a minute in tens of
// them, beyond ten minutes in minutes.
func coarse(d time.Duration) time.Duration {
	step := time.Second
	switch {
	case d > 10*time.Minute:
		step = time.Minute
	case d > time.Minute:
		step = 10 * time.Second
	}
	return (d + step - 1).Truncate(step)
}
