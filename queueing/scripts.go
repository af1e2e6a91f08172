package queueing

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strconv"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed lua/line.lua
	luaLine string
	//go:embed lua/enter.lua
	luaEnter string
	//go:embed lua/tick.lua
	luaTick string
	//go:embed lua/claim.lua
	luaClaim string
	//go:embed lua/act.lua
	luaAct string
	//go:embed lua/mix.lua
	luaMix string
	//go:embed lua/room.lua
	luaRoom string
	//go:embed lua/arrive.lua
	luaArrive string
	//go:embed lua/roomclaim.lua
	luaRoomClaim string
	//go:embed lua/release.lua
	luaRelease string
)

var (
	scriptEnter = redis.NewScript(luaLine + luaEnter)
	scriptTick  = redis.NewScript(luaLine + luaTick)
	scriptClaim = redis.NewScript(luaLine + luaClaim)
	scriptAct   = redis.NewScript(luaLine + luaAct)
	scriptMix   = redis.NewScript(luaLine + luaMix)

	scriptArrive    = redis.NewScript(luaLine + luaRoom + luaArrive)
	scriptRoomTick  = redis.NewScript(luaLine + luaRoom + luaTick)
	scriptRoomClaim = redis.NewScript(luaLine + luaRoom + luaRoomClaim)
	scriptRelease   = redis.NewScript(luaLine + luaRoom + luaRelease)
)

// callTimeout bounds each call to Redis. A line that does not answer by then
// is as good as away, and its callers are served from the last snapshot.
const callTimeout = time.Second

// Load puts the scripts into Redis, so that nothing starts cold.
func Load(ctx context.Context, rdb redis.UniversalClient) error {
	for _, s := range []*redis.Script{
		scriptEnter, scriptTick, scriptClaim, scriptAct, scriptMix,
		scriptArrive, scriptRoomTick, scriptRoomClaim, scriptRelease,
	} {
		if err := s.Load(ctx, rdb).Err(); err != nil {
			return fmt.Errorf("load line scripts: %w", err)
		}
	}
	return nil
}

// lineKeys are all keys of a sale's line, on one hash slot.
func lineKeys(sale string) []string {
	tag := "wr:{line:" + sale + "}"
	return []string{tag, tag + ":claimed:0", tag + ":claimed:1", tag + ":invited:0", tag + ":invited:1"}
}

// roomKeys are all keys of a room's line, on one hash slot.
func roomKeys(room string) []string {
	tag := "wr:{line:" + room + "}"
	return []string{tag, tag + ":seats", tag + ":left"}
}

// call runs a script with what the line knows, then args.
func (l *Line) call(ctx context.Context, script *redis.Script, args ...any) (reply, error) {
	return l.callOn(ctx, script, l.keys, args...)
}

// callOn is call on other keys than the line's alone.
func (l *Line) callOn(ctx context.Context, script *redis.Script, keys []string, args ...any) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	args = append(append(l.facts(), args...), l.mix()...)
	values, err := script.Run(ctx, l.rdb, keys, args...).StringSlice()
	return reply(values), err
}

// callAgain is call for scripts that may run twice: when the connection broke,
// only the reply may be lost, and the script is asked once more.
func (l *Line) callAgain(ctx context.Context, script *redis.Script, args ...any) (reply, error) {
	r, err := l.call(ctx, script, args...)
	if broken(err) {
		return l.call(ctx, script, args...)
	}
	return r, err
}

func broken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// facts are the arguments that every script begins with, see lua/line.lua.
func (l *Line) facts() []any {
	s, m := l.sale, l.memory.recall()
	paused := 0
	if m.acts.paused {
		paused = 1
	}
	return []any{
		s.Doors.UnixMicro(), s.Opens.UnixMicro(), s.Closes.UnixMicro(), s.Admit.PerSecond(), s.Burst,
		m.born, m.seed.String(), m.entered, m.drawn, m.head, m.passes,
		m.acts.edition, paused, m.acts.rate, m.acts.burst, m.acts.message,
	}
}

// mix is what the arguments of every script end with, see lua/line.lua.
func (l *Line) mix() []any {
	mixes := 0
	if l.sale.Mix != "" {
		mixes = 1
	}
	return []any{mixes, l.memory.recall().mixed}
}

// reply is what a script answered: numbers travel as text, because Redis cuts
// the fraction off a number that Lua returns.
type reply []string

// word is the first field of a reply.
func (r reply) word() string {
	if len(r) == 0 {
		return ""
	}
	return r[0]
}

// scan reads the fields into pointers, as many as there are. In the place of a
// pointer a string is the one text that may stand there.
func (r reply) scan(into ...any) error {
	if len(r) != len(into) {
		return fmt.Errorf("read reply: %d fields, want %d", len(r), len(into))
	}
	for i, target := range into {
		if err := scanField(r[i], target); err != nil {
			return fmt.Errorf("read reply: field %d: %w", i, err)
		}
	}
	return nil
}

func scanField(text string, target any) (err error) {
	switch p := target.(type) {
	case string:
		if text != p {
			err = fmt.Errorf("%q, want %q", text, p)
		}
	case *string:
		*p = text
	case *bool:
		*p = text == "1"
		if text != "0" && text != "1" {
			err = fmt.Errorf("%q, want 0 or 1", text)
		}
	case *int:
		*p, err = strconv.Atoi(text)
	case *int64:
		*p, err = strconv.ParseInt(text, 10, 64)
	case *uint64:
		*p, err = strconv.ParseUint(text, 10, 64)
	case *float64:
		*p, err = strconv.ParseFloat(text, 64)
	case *time.Time:
		var us int64
		us, err = strconv.ParseInt(text, 10, 64)
		*p = time.UnixMicro(us)
	case *Seed:
		*p, err = ParseSeed(text)
	default:
		panic(fmt.Sprintf("queueing: scan into %T", target))
	}
	return err
}
