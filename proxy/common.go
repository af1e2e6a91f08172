package proxy

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/waitroom/waitroom/proxy/stitch"
	"github.com/waitroom/waitroom/static"
)

// mostCommon is how many pages lie ready that are soon other ones, some forty kilobytes
// each: a few dozen of one second.
const mostCommon = 128

// farOff is a time before its end at which no page counts down to it yet.
const farOff = time.Hour

// common are pages that say the same to all who ask within a second: to who has nothing
// to show they tell how the sale stands.
type common struct {
	pages *lru.Cache[readyKey, readyPage]
}

func newCommon() common {
	pages, _ := lru.New[readyKey, readyPage](mostCommon) // only sizes below one fail
	return common{pages}
}

// render is static.Render, and the same packed. All waits are told in seconds anyway.
func (c common) render(page static.Page, about *static.View, pack *stitch.Packer) (readyPage, error) {
	v := *about
	for _, wait := range []*time.Duration{&v.Doors, &v.Opens, &v.Act, &v.Closes, &v.Retry, &v.Refresh} {
		*wait = (*wait + time.Second - 1).Truncate(time.Second)
	}
	v.Closes = min(v.Closes, farOff)
	key := readyKey{page, v}
	if one, ok := c.pages.Get(key); ok {
		return one, nil
	}
	body, err := static.Render(page, v)
	if err != nil {
		return readyPage{}, err
	}
	one := readyPage{body, pack.Pack(body, static.Same(page, v), false)}
	key.view = lasting(v)
	c.pages.Add(key, one)
	return one, nil
}
