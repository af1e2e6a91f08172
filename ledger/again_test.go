package ledger_test

import (
	"fmt"
	"testing"

	"github.com/waitroom/waitroom/gate"
)

// What was told is told again when it is forgotten, alone or with everything.
func TestForgottenNotesAreToldAgain(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		held, paid, ended := s.buy("ann"), s.buy("bob"), s.buy("carl")
		s.wantPaid(paid, "p1", 200, "paid")
		_, _ = s.ask("POST", "/v1/orders/"+ended+"/cancel", "")
		want := map[string]gate.Status{held: gate.Held, paid: gate.Paid, ended: gate.Cancelled}
		_, err := s.worker.Sweep(s.Context())
		check(s.TB, err)
		for id, status := range want {
			s.wantNote(id, status)
		}
		for name, forget := range map[string]func(){
			"all notes":  func() { check(s.TB, s.rdb.Del(s.Context(), s.key("notes")).Err()) },
			"one note":   func() { check(s.TB, s.rdb.HDel(s.Context(), s.key("notes"), paid).Err()) },
			"everything": func() { check(s.TB, s.rdb.FlushAll(s.Context()).Err()); s.open() },
		} {
			forget()
			_, err := s.worker.Reconcile(s.Context(), s.sale, true)
			check(s.TB, err)
			s.Logf("after Redis forgot %s", name)
			for id, status := range want {
				s.wantNote(id, status)
			}
			s.wantAgree()
		}
	})
}

// The books know every bucket: one that rolls back alone is found by programs that
// were all started anew, though the others have moved on by more, or itself by as much.
func TestOneOlderBucketIsRebuilt(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]int{"others move on": 1, "it moves on": 0} {
		t.Run(name, func(t *testing.T) { each(t, 20, func(s *shop) { s.rollBackOne(next) }) })
	}
}

// rollBackOne rolls the bucket of one account back, and lets accounts buy that are at
// home so many buckets behind it.
func (s *shop) rollBackOne(next int) {
	s.begin(3)
	s.open()
	s.buy("ann")
	home := gate.Home("ann", 3)
	key := "wr:{" + gate.Tag(s.sale.Key, home) + "}:state"
	was, err := s.rdb.HGetAll(s.Context(), key).Result()
	check(s.TB, err)
	for n := range 3 {
		s.buy(atHome(home, 3, n))
	}
	s.anew()
	check(s.TB, s.keep(s.Context())) // notes the marks
	check(s.TB, s.rdb.HSet(s.Context(), key, was).Err())
	s.gate = gate.New(s.rdb, s.sale.Key, 3)
	for n := range 9 {
		_, err := s.reserve(atHome((home+next)%3, 3, 10+n))
		check(s.TB, err)
	}
	before, err := s.gate.Look(s.Context())
	check(s.TB, err)
	s.gate = gate.New(s.rdb, s.sale.Key, 3)
	s.anew()
	s.drain()
	s.open()
	for range 3 {
		check(s.TB, s.keep(s.Context()))
	}
	if after, _ := s.gate.Look(s.Context()); after.Mark.Epoch <= before.Mark.Epoch || !after.Open() {
		s.Errorf("gate %+v after %+v; want one that was rebuilt", after, before)
	}
	s.wantAgree()
}

// anew starts the worker anew.
func (s *shop) anew() {
	s.worker = s.newWorker(s.section)
	s.keep = s.worker.Keeper(s.sale.Key)
}

// atHome is an account that is at home in a bucket of n.
func atHome(bucket, n, serial int) string {
	for i := 0; ; i++ {
		if account := fmt.Sprintf("buyer-%d-%d", serial, i); gate.Home(account, n) == bucket {
			return account
		}
	}
}
