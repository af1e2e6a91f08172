package rehearsal

import "time"

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
)
