package main

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/waitroom/waitroom/shedding"
)

type options struct {
	sales     int
	seed      uint64
	certainty float64
	leave     bool
	rule      func(shedding.Tail, shedding.Terms, shedding.Sight) shedding.Tail // nil: the real one
}

// result is what many sales came to.
type result struct {
	certainty float64
	line      int // people, of all sales
	told      int // that it is hopeless, at any time
	plain     share
	restocked share
	back      int // told that there is a chance again, before they were called
	most      int // how often the one was whom that befell most
	idle      int // units that lay there while somebody willing waited, when nothing moved any more
	sold      int
	words     map[shedding.Word][2]int
	byTime    []float64 // share of the line that was told, see moments; of sales that sold out
}

// share is of those told, of all sales together and on average over the sales.
type share struct {
	sales        int // in which anybody was told
	willing, got float64
	each         float64
	over         int     // sales in which the share was higher than asked for
	worst        float64 // the highest of one sale
	most         float64 // the upper end of the 95 % interval of got / willing
}

// moments are the seconds after the opening at which the told are counted.
var moments = []float64{0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000}

// measure plays the sales, on all processors; what comes of it depends on the
// options alone.
func measure(ctx context.Context, o options) (result, error) {
	records := make([]*record, o.sales)
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(o.sales) && ctx.Err() == nil; i = next.Add(1) - 1 {
				records[i] = one(o, uint64(i))
			}
		})
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return result{}, err
	}
	return sum(o, records), nil
}

func one(o options, i uint64) *record {
	random := rand.New(rand.NewPCG(o.seed, i))
	p := newPlay(anySale(random, o.certainty), random)
	p.leave = o.leave
	if o.rule != nil {
		p.rule = o.rule
	}
	return p.run()
}

func sum(o options, records []*record) result {
	all := result{certainty: o.certainty, words: map[shedding.Word][2]int{}, byTime: make([]float64, len(moments))}
	var plain, restocked []*record
	scarce := 0.
	for _, r := range records {
		all.line += r.line
		all.told += r.line - r.least
		back, most := r.calledBack()
		all.back += back
		all.most = max(all.most, most)
		all.sold += r.sold
		all.idle += r.idle
		for _, s := range r.said {
			n := all.words[s.word]
			n[0]++
			if s.got {
				n[1]++
			}
			all.words[s.word] = n
		}
		if r.left == 0 {
			scarce++
			for i, at := range moments {
				all.byTime[i] += r.shareBy(at)
			}
		}
		if r.restock > 0 {
			restocked = append(restocked, r)
		} else {
			plain = append(plain, r)
		}
	}
	for i := range all.byTime {
		all.byTime[i] /= max(scarce, 1)
	}
	all.plain, all.restocked = shareOf(plain, o.seed), shareOf(restocked, o.seed)
	return all
}

// shareOf is over sales in which somebody was told. People of one sale share their
// luck, so the interval is by drawing sales anew, 2000 times.
func shareOf(records []*record, seed uint64) (s share) {
	records = slices.DeleteFunc(records, func(r *record) bool { return r.willing < 1 })
	s.sales = len(records)
	for _, r := range records {
		s.willing += r.willing
		s.got += float64(r.got)
		one := float64(r.got) / r.willing
		s.each += one / float64(len(records))
		s.worst = max(s.worst, one)
		if one > 1-r.terms.Certainty {
			s.over++
		}
	}
	if len(records) == 0 {
		return s
	}
	random := rand.New(rand.NewPCG(seed, 2))
	shares := make([]float64, 2000)
	for i := range shares {
		var willing, got float64
		for range records {
			r := records[random.IntN(len(records))]
			willing += r.willing
			got += float64(r.got)
		}
		shares[i] = got / willing
	}
	slices.Sort(shares)
	s.most = shares[len(shares)*975/1000]
	return s
}
