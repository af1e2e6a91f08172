package chaos_test

import (
	"context"
	"flag"
	"os"
	"testing"

	"github.com/redis/go-redis/v9"
)

func TestMain(m *testing.M) {
	redis.SetLogger(silence{})                             // of what is broken on purpose
	if err := flag.Set("test.parallel", "6"); err != nil { // rounds wait more than they work
		panic(err)
	}
	os.Exit(m.Run())
}

type silence struct{}

func (silence) Printf(context.Context, string, ...any) {}
