package rehearsal

import (
	"errors"
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

// maxSpan bounds the books that are kept for each second.
const maxSpan = 366 * 24 * time.Hour

// ErrRefused means that such a sale, or such a crowd, cannot be rehearsed.
var ErrRefused = errors.New("cannot be rehearsed")

// Default is what is expected of a crowd where nobody says otherwise. Who uses it
// says how many come.
func Default() Options {
	return Options{Seed: 1, NoShows: 0.4, Return: 0.25, Buy: 0.7, Pay: 0.85}
}

// Takes is about how long it takes to play the sale, on one ordinary core. What
// costs most is each unit, since the scripts of the gate run one by one in an
// interpreter in this process.
func (o Options) Takes(sale *configs.Sale) time.Duration {
	rate, open := sale.Admit.PerSecond(), sale.Closes.Sub(sale.Opens).Seconds()
	passes := min(float64(o.Shoppers)*(1-o.NoShows*(1-o.Return)), rate*open)
	units := min(float64(sale.Stock)/max(o.Pay, 0.01), passes*o.Buy)
	passes = min(passes, units/max(o.Buy, 0.01)+rate*pressing)
	return seconds(float64(o.Shoppers)*perShopper + passes*perPass + units*perUnit).Round(time.Second)
}

// In seconds.
const (
	pressing   = 5 // for which passes are given until all units are held
	perShopper = 10e-6
	perPass    = 0.2e-3
	perUnit    = 1.2e-3
)

func (o Options) check(sale *configs.Sale) error {
	if o.Shoppers < 1 || o.Shoppers > MaxShoppers {
		return fmt.Errorf("%w: shoppers %d, say how many come, from 1 to %d", ErrRefused, o.Shoppers, MaxShoppers)
	}
	for _, share := range []struct {
		name string
		is   float64
	}{{"no-shows", o.NoShows}, {"return", o.Return}, {"buy", o.Buy}, {"pay", o.Pay}} {
		if math.IsNaN(share.is) || share.is < 0 || share.is > 1 {
			return fmt.Errorf("%w: %s %v, a share is from 0 to 1", ErrRefused, share.name, share.is)
		}
	}
	if span := sale.Over().Sub(sale.Doors); span > maxSpan {
		return fmt.Errorf("%w: it lasts %v from the doors to the last hold, at most %v can be played", ErrRefused, span, maxSpan)
	}
	return nil
}
