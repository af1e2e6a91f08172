package challenge_test

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/proxy/challenge"
)

// TestEasy: who laid in challenges while it was calm cannot use them in a crowd, and
// who was there when it came can.
func TestEasy(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		asked, now int
		after      time.Duration
		want       bool
	}{
		{11, 11, 4 * time.Minute, false}, {11, 12, 4 * time.Minute, false}, {11, 13, 4 * time.Minute, true},
		{11, 15, 30 * time.Second, true}, {11, 15, 29 * time.Second, false}, {14, 15, 4 * time.Minute, false},
		{15, 11, 4 * time.Minute, false}, {0, 0, 4 * time.Minute, false},
	} {
		c := challenge.New(test.asked, begin)
		if got := c.Easy(test.now, begin.Add(test.after)); got != test.want {
			t.Errorf("%d bits after %v, where %d are asked: easy %t, want %t", test.asked, test.after, test.now, got, test.want)
		}
	}
}
