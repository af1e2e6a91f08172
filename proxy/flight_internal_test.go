package proxy

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestFlight: one fetch for all who ask meanwhile, and none for who asks later
// but a new one.
func TestFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f flight
		first, second := &sheet{}, &sheet{}
		bring := func(s *sheet) func() (*sheet, error) {
			return func() (*sheet, error) { time.Sleep(time.Minute); return s, nil }
		}
		for i := range 3 {
			go func() {
				time.Sleep(time.Duration(i) * time.Second)
				if got, err := f.do(t.Context(), bring(first)); got != first || err != nil {
					t.Errorf("asked after %d s: got %p, %v, want what is on its way, %p", i, got, err, first)
				}
			}()
		}
		time.Sleep(3 * time.Second)
		brief, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := f.do(brief, bring(second)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("who leaves while waiting gets %v, want %v", err, context.DeadlineExceeded)
		}
		time.Sleep(time.Hour)
		if got, err := f.do(t.Context(), bring(second)); got != second || err != nil {
			t.Errorf("asked later: got %p, %v, want a new one, %p", got, err, second)
		}
	})
}

// TestFlightThatPanics leaves nobody waiting, and the next may try.
func TestFlightThatPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f flight
		go func() {
			defer func() { _ = recover() }()
			_, _ = f.do(t.Context(), func() (*sheet, error) { time.Sleep(time.Second); panic("test") })
		}()
		synctest.Wait()
		if got, err := f.do(t.Context(), nil); got != nil || !errors.Is(err, errBrokenOff) {
			t.Errorf("who waited got %p, %v, want %v", got, err, errBrokenOff)
		}
		want := &sheet{}
		if got, err := f.do(t.Context(), func() (*sheet, error) { return want, nil }); got != want || err != nil {
			t.Errorf("the next got %p, %v, want %p", got, err, want)
		}
	})
}
