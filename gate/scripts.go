package gate

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed lua/prelude.lua
	luaPrelude string
	//go:embed lua/reserve.lua
	luaReserve string
	//go:embed lua/release.lua
	luaRelease string
	//go:embed lua/retake.lua
	luaRetake string
	//go:embed lua/look.lua
	luaLook string
	//go:embed lua/tell.lua
	luaTell string
	//go:embed lua/find.lua
	luaFind string
	//go:embed lua/total.lua
	luaTotal string
	//go:embed lua/close.lua
	luaClose string
	//go:embed lua/audit.lua
	luaAudit string
	//go:embed lua/rebuild.lua
	luaRebuild string
	//go:embed lua/mend.lua
	luaMend string
	//go:embed lua/keep.lua
	luaKeep string
	//go:embed lua/open.lua
	luaOpen string
	//go:embed lua/bind.lua
	luaBind string
	//go:embed lua/fence.lua
	luaFence string
	//go:embed lua/give.lua
	luaGive string
	//go:embed lua/take.lua
	luaTake string
)

// script is a body of Lua and how long its answer may take.
type script struct {
	*redis.Script
	timeout time.Duration
}

func newScript(body string, timeout time.Duration) script {
	return script{redis.NewScript(luaPrelude + body), timeout}
}

var (
	scriptReserve = newScript(luaReserve, callTimeout)
	scriptRelease = newScript(luaRelease, callTimeout)
	scriptRetake  = newScript(luaRetake, callTimeout)
	scriptLook    = newScript(luaLook, callTimeout)
	scriptTell    = newScript(luaTell, callTimeout)
	scriptFind    = newScript(luaFind, callTimeout)
	scriptTotal   = newScript(luaTotal, callTimeout)
	scriptClose   = newScript(luaClose, callTimeout)
	scriptKeep    = newScript(luaKeep, callTimeout)
	scriptOpen    = newScript(luaOpen, callTimeout)
	scriptBind    = newScript(luaBind, callTimeout)
	scriptFence   = newScript(luaFence, callTimeout)
	scriptGive    = newScript(luaGive, callTimeout)
	scriptTake    = newScript(luaTake, callTimeout)
	scriptAudit   = newScript(luaAudit, wholeTimeout)
	scriptRebuild = newScript(luaRebuild, wholeTimeout)
	scriptMend    = newScript(luaMend, wholeTimeout)
)

// Load puts the scripts into Redis, so that nothing starts cold.
func Load(ctx context.Context, rdb redis.UniversalClient) error {
	for _, s := range []script{
		scriptReserve, scriptRelease, scriptRetake, scriptLook, scriptTell, scriptFind,
		scriptTotal, scriptClose, scriptKeep, scriptAudit, scriptRebuild, scriptMend,
		scriptSettle, scriptTidy, scriptAnew, scriptOpen, scriptBind, scriptFence, scriptGive, scriptTake,
	} {
		if err := s.Load(ctx, rdb).Err(); err != nil {
			return fmt.Errorf("load gate scripts: %w", err)
		}
	}
	return nil
}

// reply is what a script answered: text, field by field. Redis would cut a number
// of Lua down to what it holds exactly, so numbers travel as text too.
type reply []string

// word is what an answer begins with.
func (r reply) word() string {
	if len(r) == 0 {
		return ""
	}
	return r[0]
}

// ok reads an answer that begins with "ok" into pointers, and gives the error
// for one that says no.
func (r reply) ok(into ...any) error {
	if err := refusal(r); err != nil {
		return err
	}
	return r.scan(append([]any{"ok"}, into...)...)
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
	case *uint64:
		*p, err = strconv.ParseUint(text, 10, 64)
	case *time.Time:
		var ms int64
		ms, err = strconv.ParseInt(text, 10, 64)
		*p = instant(ms)
	default:
		panic(fmt.Sprintf("gate: scan into %T", target))
	}
	return err
}

// refusal is the error for a reply that says no.
func refusal(r reply) error {
	if len(r) == 0 {
		return nil
	}
	switch r[0] {
	case "closed":
		return ErrClosed
	case "backlog":
		return ErrBacklog
	case "sold_out":
		return ErrSoldOut
	case "key_reused":
		return ErrKeyReused
	case "too_many":
		return ErrTooMany
	case "already":
		already := &AlreadyBoughtError{}
		if err := r.scan("already", &already.Reservation); err != nil {
			return err
		}
		return already
	}
	return nil
}

// instant reads Unix milliseconds; zero is the zero time, both ways.
func instant(ms int64) time.Time {
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
