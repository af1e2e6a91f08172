package proxy

import (
	"bytes"
	"compress/gzip"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/waitroom/waitroom/static"
)

// mostReady is how many pages lie ready, some forty kilobytes each: a few for each
// language, which is whoever asks to choose.
const mostReady = 256

// ready are pages that say the same to many, kept as they were rendered: to refuse
// must not cost more than to serve.
type ready struct {
	pages *lru.Cache[readyKey, readyPage]
}

// readyPage is a page, and the same packed with gzip, a fourth of it: most of what a page
// costs is to seal and to send it. Nothing in it is one shopper's, so that its length
// tells nobody anything.
type readyPage struct{ plain, packed []byte }

// readyKey is what a page says.
type readyKey struct {
	page static.Page
	view static.View
}

func newReady() *ready {
	pages, _ := lru.New[readyKey, readyPage](mostReady) // only sizes below one fail
	return &ready{pages: pages}
}

// render is static.Render of a page that tells nothing of one shopper, nor how many
// there are. Waits are told in coarse steps, so that few pages do for all.
func (p *ready) render(page static.Page, about *static.View) (readyPage, error) {
	v := *about
	switch page {
	case static.SlowDown, static.BlockFull, static.NotFound, static.BadRequest: // all that they say
		v = static.View{Lang: v.Lang, Brand: v.Brand, Offered: v.Offered, Posted: v.Posted, Sale: v.Sale, Room: v.Room, Title: v.Title, Message: v.Message,
			ProductPage: v.ProductPage, RenewAt: v.RenewAt, Retry: v.Retry, Refresh: v.Refresh}
	}
	v.Retry, v.Refresh = coarse(v.Retry), coarse(v.Refresh)
	v.Doors, v.Opens = coarse(v.Doors), coarse(v.Opens)
	v.Host, v.Entered, v.Closes = "", 0, 0
	key := readyKey{page, v}
	if one, ok := p.pages.Get(key); ok {
		return one, nil
	}
	body, err := static.Render(page, v)
	if err != nil {
		return readyPage{}, err
	}
	one := readyPage{body, packed(body)}
	key.view = lasting(v)
	p.pages.Add(key, one)
	return one, nil
}

// lasting is a view that may be kept beyond its request: those of its texts that a request
// can choose are copies. Whoever keeps a view, or what is made of it, keeps this one.
func lasting(v static.View) static.View {
	for _, text := range []*string{&v.Host, &v.Whole, &v.Kept, &v.RenewAt, &v.Reservation, &v.Checkout} {
		*text = strings.Clone(*text)
	}
	return v
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
