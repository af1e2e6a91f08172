package gate

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/redis/go-redis/v9"
)

// Whoever gives up while others wait takes nobody along: each who stays hears the
// answer to what they asked, and nothing is asked twice.
func TestConvoy_WhoLeavesIsReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const crowd = 200
		frozen := make(chan struct{})
		var asked [crowd]atomic.Int64
		c := newConvoy(func(ctx context.Context, asks []errand) []*redis.Cmd {
			<-frozen
			cmds := make([]*redis.Cmd, len(asks))
			for i, e := range asks {
				asked[e.args[0].(int)].Add(1)
				cmds[i] = redis.NewCmd(ctx)
				cmds[i].SetVal(e.args[0])
			}
			return cmds
		})
		impatient, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for n := range crowd {
			all.Go(func() {
				ctx := t.Context()
				if n%2 == 0 {
					ctx = impatient
				}
				cmd, err := c.ask(ctx, errand{args: []any{n}})
				switch {
				case n%2 == 1 && (err != nil || cmd.Val() != n):
					t.Errorf("who stayed: %v, %v; want %d", cmd, err, n)
				case n%2 == 0 && err == nil && cmd.Val() != n:
					t.Errorf("who drove: %v, want %d", cmd, n)
				case n%2 == 0 && err != nil && !errors.Is(err, context.Canceled):
					t.Errorf("who left: %v", err)
				}
			})
		}
		synctest.Wait() // all are on their way or wait
		leave()
		synctest.Wait() // who could leave has left
		close(frozen)
		all.Wait()
		for n := range crowd {
			if got := asked[n].Load(); got > 1 || n%2 == 1 && got == 0 {
				t.Errorf("%d was asked %d times", n, got)
			}
		}
		if _, err := c.ask(t.Context(), errand{args: []any{0}}); err != nil {
			t.Errorf("the next one: %v", err)
		}
	})
}
