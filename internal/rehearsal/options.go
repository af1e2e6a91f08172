package rehearsal

import (
	"fmt"
	"math"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// Options are who comes and what they do. Shares are from 0 to 1.
type Options struct {
	Shoppers int
	Seed     uint64 // of everything that is left to chance, the draw too

	NoShows float64 // of those called: away when their turn comes
	Return  float64 // of those away: come back, and use the turn they missed
	Buy     float64 // of those admitted: press buy
	Pay     float64 // of those with a unit: pay for it in time
}

// MaxShoppers bounds a rehearsal to what fits into a few gigabytes.
const MaxShoppers = 10_000_000

// Default is the crowd that is expected where nobody says otherwise.
func Default(shoppers int) Options {
	return Options{Shoppers: shoppers, Seed: 1, NoShows: 0.4, Return: 0.25, Buy: 0.7, Pay: 0.85}
}

func (o Options) check(sale *configs.Sale) error {
	if o.Shoppers < 1 || o.Shoppers > MaxShoppers {
		return fmt.Errorf("%d shoppers: from 1 to %d", o.Shoppers, MaxShoppers)
	}
	for _, share := range []struct {
		name string
		is   float64
	}{{"no-shows", o.NoShows}, {"return", o.Return}, {"buy", o.Buy}, {"pay", o.Pay}} {
		if math.IsNaN(share.is) || share.is < 0 || share.is > 1 {
			return fmt.Errorf("%s %v: a share is from 0 to 1", share.name, share.is)
		}
	}
	if span := sale.Over().Sub(sale.Doors); span > maxSpan {
		return fmt.Errorf("the sale lasts %v from the doors to the last hold, at most %v can be rehearsed", span, maxSpan)
	}
	return nil
}

// maxSpan bounds the books that are kept for each second.
const maxSpan = 366 * 24 * time.Hour

// How the crowd behaves where no option says so.
const (
	earlyBirds = 0.05 // press before the doors are open, and again when they are
	late       = 0.15 // press after the draw
	rush       = 0.5  // of all others: come as the opening nears, the rest evenly

	early     = 10 * time.Minute // before the doors
	rushMean  = 2 * time.Minute  // before the opening, on average
	lateMean  = time.Minute      // after it, on average
	reloads   = 0.2              // of those who wait: close the page and open it again
	awayMost  = 5 * time.Minute  // for which they do
	missMean  = 3 * time.Minute  // by which a missed turn is used, on average
	giveUp    = 0.5              // of those told "all held for now": leave at once
	patience  = 10 * time.Minute // of the others, on average
	reactMost = 3 * time.Second  // from being called to claiming
	buyMost   = 20 * time.Second // from a pass to buying
	payLeast  = 30 * time.Second

	doorsPoll = 10 * time.Second // after the doors, within which a page that waits for them asks
	heldPoll  = 5 * time.Second  // between two questions of a page while all is held
	lastPoll  = 25 * time.Second // between those of a page that waits far back
)
