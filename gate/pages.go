package gate

import "iter"

// No script of this package works for longer than a few milliseconds, whatever a
// sale's size: Redis serves nobody meanwhile. What is long goes in pages.

// pages cuts what each bucket is asked into pages, and yields one of every bucket
// that has one at a time. args makes a script's arguments of a page.
func pages[T any](at [][]T, size int, args func(page []T) []any) iter.Seq[[]ask] {
	return func(yield func([]ask) bool) {
		for from := 0; ; from += size {
			var asks []ask
			for bucket, all := range at {
				if from < len(all) {
					asks = append(asks, ask{bucket, args(all[from:min(from+size, len(all))])})
				}
			}
			if len(asks) == 0 || !yield(asks) {
				return
			}
		}
	}
}
