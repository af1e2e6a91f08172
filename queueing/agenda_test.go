package queueing_test

import (
	"container/heap"
	"time"
)

// agenda is what a crowd is about to do in virtual time, the soonest first.
type agenda struct{ errands errands }

type errand struct {
	at  time.Time
	run func()
}

func (a *agenda) add(at time.Time, run func()) { heap.Push(&a.errands, errand{at, run}) }

// next takes the soonest errand that is due by then.
func (a *agenda) next(due time.Time) (e errand, ok bool) {
	if len(a.errands) == 0 || a.errands[0].at.After(due) {
		return errand{}, false
	}
	return heap.Pop(&a.errands).(errand), true
}

type errands []errand

func (e errands) Len() int           { return len(e) }
func (e errands) Less(i, j int) bool { return e[i].at.Before(e[j].at) }
func (e errands) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *errands) Push(x any)        { *e = append(*e, x.(errand)) }
func (e *errands) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}
