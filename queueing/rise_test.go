package queueing_test

import (
	"errors"
	"testing"
	"time"

	"github.com/waitroom/waitroom/queueing"
)

// TestAccountRises: an account that stands behind the draw is in it once it enters as
// one who may, but never falls back, and not once the lottery is closed.
func TestAccountRises(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := accountSale(s.now())
		l := queueing.NewLine(s.rdb, sale)
		as := func(account string, behind bool) queueing.Given {
			t.Helper()
			n, err := l.Enter(t.Context(), queueing.Entry{Account: account, Behind: behind})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		for i, step := range []struct {
			account string
			behind  bool
			want    queueing.Number
			again   bool
		}{
			{"anna", true, queueing.Number{Value: 0, Behind: true}, false},
			{"bert", true, queueing.Number{Value: 1, Behind: true}, false},
			{"anna", true, queueing.Number{Value: 0, Behind: true}, true},
			{"anna", false, queueing.Number{Value: 0}, false},
			{"anna", true, queueing.Number{Value: 0}, true},
			{"carla", false, queueing.Number{Value: 1}, false},
			{"bert", false, queueing.Number{Value: 2}, false},
			{"bert", false, queueing.Number{Value: 2}, true},
		} {
			if got := as(step.account, step.behind); got.Number != step.want || got.Again != step.again {
				t.Errorf("step %d, %s: got %+v, want %+v, again: %t", i, step.account, got, step.want, step.again)
			}
		}
	})
}

// TestAccountRisesForAProof that is good once, like any other.
func TestAccountRisesForAProof(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		l := queueing.NewLine(s.rdb, accountSale(s.now()))
		proof := queueing.Proof{ID: [16]byte{1}, Ends: s.now().Add(5 * time.Minute)}
		for _, step := range []struct {
			entry queueing.Entry
			want  error
		}{
			{queueing.Entry{Account: "anna", Behind: true}, nil},
			{queueing.Entry{Account: "bert", Proof: proof}, nil},
			{queueing.Entry{Account: "anna", Proof: proof}, queueing.ErrSpent},
			{queueing.Entry{Account: "anna", Proof: queueing.Proof{ID: [16]byte{2}, Ends: proof.Ends}}, nil},
		} {
			if _, err := l.Enter(t.Context(), step.entry); !errors.Is(err, step.want) {
				t.Errorf("%+v: got %v, want %v", step.entry, err, step.want)
			}
		}
	})
}
