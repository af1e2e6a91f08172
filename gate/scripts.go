package gate

import (
	"context"
	"embed"
	"fmt"

	"github.com/redis/go-redis/v9"
)

//go:embed lua/*.lua
var lua embed.FS

// script is one of lua/.
type script struct {
	*redis.Script
	crowd bool // many ask it at the same time, so that they go together
}

var (
	scriptReserve = crowded("reserve")
	scriptBind    = crowded("bind")
	scriptRelease = newScript("release")
	scriptRetake  = newScript("retake")
	scriptLook    = newScript("look")
	scriptTell    = newScript("tell")
	scriptFind    = newScript("find")
	scriptTotal   = newScript("total")
	scriptClose   = newScript("close")
	scriptKeep    = newScript("keep")
	scriptOpen    = newScript("open")
	scriptFence   = newScript("fence")
	scriptGive    = newScript("give")
	scriptTake    = newScript("take")
	scriptAudit   = newScript("audit")
	scriptClear   = newScript("clear")
	scriptFill    = newScript("fill")
	scriptBuild   = newScript("build")
	scriptMend    = newScript("mend")
	scriptShift   = newScript("shift")
	scriptSettle  = newScript("settle")
	scriptTidy    = newScript("tidy")
	scriptAnew    = newScript("anew")
)

// scripts are all of them.
var scripts []*script

// newScript makes a script of its body: what all share comes first, and the mark
// last.
func newScript(name string) *script {
	s := &script{Script: redis.NewScript(text("prelude") + "local function answer()\n" + text(name) + "end\nreturn marked(answer())\n")}
	scripts = append(scripts, s)
	return s
}

func crowded(name string) *script {
	s := newScript(name)
	s.crowd = true
	return s
}

func text(name string) string {
	b, err := lua.ReadFile("lua/" + name + ".lua")
	if err != nil {
		panic(err) // it is not in this program
	}
	return string(b)
}

// Load puts the scripts into Redis, so that nothing starts cold.
func Load(ctx context.Context, rdb redis.UniversalClient) error {
	for _, s := range scripts {
		if err := s.Load(ctx, rdb).Err(); err != nil {
			return fmt.Errorf("load gate scripts: %w", err)
		}
	}
	return nil
}
