package ledger

import (
	"context"
	"sync"

	"github.com/waitroom/waitroom/gate"
)

// writers is how many batches of a sale are written at once. They meet at the
// stock row: while one has it and waits for the disk, the other one's orders
// are on their way. More would only wait.
const writers = 2

// drain carries one sale's winners into the books until ctx ends or the sale is
// over. Each bucket has a reader of its own; what they catch becomes orders in
// batches, and while these are written those before are acknowledged and the next
// are read. Winners that were read and not written when ctx ends come again. doubt is
// given when Redis seems to have forgotten some.
func (w *Worker) drain(ctx context.Context, key string, g *gate.Gate, doubt nudge) {
	caught, settled := make(chan catch), make(chan batch, 1)
	var reading, writing, all sync.WaitGroup
	for _, r := range g.Winners(w.section.Name + "/" + key) {
		reading.Go(func() { w.read(ctx, key, g, r, caught, doubt) })
	}
	all.Go(func() {
		defer close(caught)
		reading.Wait()
	})
	for range writers {
		writing.Go(func() {
			for b := range batches(caught, w.most) {
				if w.settle(ctx, key, g, &b) {
					settled <- b
				}
			}
		})
	}
	all.Go(func() {
		defer close(settled)
		writing.Wait()
	})
	for b := range settled {
		w.finish(ctx, key, b, doubt)
	}
	all.Wait()
}
