package certs

import (
	"embed"

	"github.com/redis/go-redis/v9"
)

// What edges share lies in one slot of a Cluster, so that a script may touch it.
const (
	filesKey   = "wr:{certs}:files"   // hash: name, sealed value
	locksKey   = "wr:{certs}:locks"   // hash: name, holder and end of lease
	ticketsKey = "wr:{certs}:tickets" // hash: epoch, sealed key
)

//go:embed lua/*.lua
var lua embed.FS

func script(name string) *redis.Script {
	text, err := lua.ReadFile("lua/" + name + ".lua")
	if err != nil {
		panic(err) // it is embedded
	}
	return redis.NewScript(string(text))
}
