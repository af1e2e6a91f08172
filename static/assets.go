package static

import (
	"crypto/sha256"
	"encoding/hex"
)

// prefix is where everything of waitroom's own is.
const prefix = "/.waitroom/"

// assets is where the files are that pages load besides. Their names hold a hash of
// what is in them, so each is good for ever.
const assets = prefix + "assets/"

var (
	worker     = []byte(newScript("web/prove/", "puzzle", "worker"))
	workerName = named("solve", worker)
)

func named(name string, script []byte) string {
	sum := sha256.Sum256(script)
	return name + "-" + hex.EncodeToString(sum[:8]) + ".js"
}

// Asset is the script of this name under /.waitroom/assets/; ok is false if there is none. The
// bytes must not be changed.
func Asset(name string) (script []byte, ok bool) {
	if name != workerName {
		return nil, false
	}
	return worker, true
}

// Worker is the address of what solves puzzles beside [Prove].
func (d document) Worker() string { return assets + workerName }
