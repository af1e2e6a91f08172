package proxy

import (
	"context"

	"github.com/waitroom/waitroom/queueing"
)

// departures are the passes that the origin ended and Redis has not been told of
// yet. What finds no space ends by itself, with its pass.
type departures struct{ places chan uint64 }

const maxDepartures = 1 << 14

func newDepartures() departures { return departures{make(chan uint64, maxDepartures)} }

func (d departures) add(place uint64) {
	select {
	case d.places <- place:
	default:
	}
}

// tell releases those who have left. One that Redis could not be told stays for
// the next time.
func (d departures) tell(ctx context.Context, line *queueing.Room) error {
	for range len(d.places) {
		select {
		case place := <-d.places:
			if err := line.Release(ctx, place); err != nil {
				d.add(place)
				return err
			}
		default: // the room of before a reload has told the others
			return nil
		}
	}
	return nil
}
