package proxy

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/waitroom/waitroom/static"
)

// mostPrints is how many pages lie ready, some forty kilobytes each.
const mostPrints = 64

// prints are pages that say the same to many, kept as they were rendered: to refuse
// must not cost more than to serve.
type prints struct {
	pages *lru.Cache[print, []byte]
}

type print struct {
	page static.Page
	view static.View
}

func newPrints() *prints {
	pages, _ := lru.New[print, []byte](mostPrints) // only sizes below one fail
	return &prints{pages: pages}
}

// render is static.Render of a page that tells nothing of one shopper, nor how many
// there are. Waits are told in coarse steps, so that few pages do for all.
func (p *prints) render(page static.Page, v static.View) ([]byte, error) {
	if page == static.SlowDown { // all that it says
		v = static.View{Sale: v.Sale, Room: v.Room, Title: v.Title, Message: v.Message,
			ProductPage: v.ProductPage, RenewAt: v.RenewAt, Retry: v.Retry, Refresh: v.Refresh}
	}
	v.Retry, v.Refresh = coarse(v.Retry), coarse(v.Refresh)
	v.Doors, v.Opens = coarse(v.Doors), coarse(v.Opens)
	v.Host, v.Entered = "", 0
	key := print{page, v}
	if body, ok := p.pages.Get(key); ok {
		return body, nil
	}
	body, err := static.Render(page, v)
	if err == nil {
		p.pages.Add(key, body)
	}
	return body, err
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
