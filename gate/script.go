package gate

import (
	"context"
	_ "embed"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// Every script is prelude.lua and a body of its own. All take the keys in the
// order of keys.all and are safe to run again when a reply was lost: the second
// run finds what the first did, and answers the same.
var (
	//go:embed prelude.lua
	prelude string

	//go:embed reserve.lua
	reserveSource string
	//go:embed release.lua
	releaseSource string
	//go:embed retake.lua
	retakeSource string
	//go:embed look.lua
	lookSource string
	//go:embed tell.lua
	tellSource string
	//go:embed find.lua
	findSource string
	//go:embed audit.lua
	auditSource string
	//go:embed close.lua
	closeSource string
	//go:embed rebuild.lua
	rebuildSource string
	//go:embed total.lua
	totalSource string
	//go:embed mend.lua
	mendSource string

	reserveScript = script(reserveSource)
	releaseScript = script(releaseSource)
	retakeScript  = script(retakeSource)
	lookScript    = script(lookSource)
	tellScript    = script(tellSource)
	findScript    = script(findSource)
	auditScript   = script(auditSource)
	closeScript   = script(closeSource)
	rebuildScript = script(rebuildSource)
	totalScript   = script(totalSource)
	mendScript    = script(mendSource)
)

func script(body string) *redis.Script { return redis.NewScript(prelude + body) }

// Load puts the scripts into Redis, so that nothing starts cold.
func Load(ctx context.Context, rdb redis.UniversalClient) error {
	for _, s := range []*redis.Script{
		reserveScript, releaseScript, retakeScript, lookScript, tellScript, findScript,
		auditScript, closeScript, rebuildScript, totalScript, mendScript,
	} {
		if err := s.Load(ctx, rdb).Err(); err != nil {
			return err
		}
	}
	return nil
}

// runTwice runs a script and, when the answer was lost on the way, asks again
// once. An answer of Redis itself, also an error, is never asked for twice.
func runTwice(ctx context.Context, rdb redis.UniversalClient, s *redis.Script, keys []string, args ...any) (reply, error) {
	out, err := s.Run(ctx, rdb, keys, args...).Slice()
	var said redis.Error
	if err != nil && !errors.As(err, &said) && ctx.Err() == nil {
		out, err = s.Run(ctx, rdb, keys, args...).Slice()
	}
	return out, err
}

// reply is a script's answer. A field that is not there reads as zero.
type reply []any

func (r reply) text(i int) string {
	if i >= len(r) {
		return ""
	}
	switch v := r[i].(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	default:
		return ""
	}
}

func (r reply) number(i int) int64 {
	n, _ := strconv.ParseInt(r.text(i), 10, 64)
	return n
}

func (r reply) count(i int) uint64 { return uint64(max(0, r.number(i))) }

// instant reads Unix milliseconds; zero stays the zero time.
func (r reply) instant(i int) time.Time {
	ms := r.number(i)
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
