package testserver_test

import (
	"slices"
	"testing"

	"github.com/waitroom/waitroom/internal/testserver"
)

func TestMeasurement(t *testing.T) {
	t.Parallel()
	var m testserver.Measurement
	var ended []string
	end := func(name string) func() { return func() { ended = append(ended, name) } }
	m.Cleanup(end("first"))
	m.Cleanup(func() { m.Cleanup(end("late")); end("second")() })
	m.End()
	m.End()
	if want := []string{"second", "late", "first"}; !slices.Equal(ended, want) {
		t.Errorf("ended %q, want %q", ended, want)
	}
}
