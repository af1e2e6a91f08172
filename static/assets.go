package static

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
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
	if name == workerName {
		return worker, true
	}
	for _, tag := range Languages() {
		if !strings.Contains(name, "."+tag+"-") {
			continue
		}
		for _, one := range speaking(tag).extras {
			if one.name == name {
				return one.script, true
			}
		}
	}
	return nil, false
}

// extra is what few ask of a page, with the texts that only it has: a script that comes
// to those who do.
type extra struct {
	name   string
	script []byte
}

// extras are the scripts of web/more, and how the names of their texts begin.
var extras = map[string]string{"steps": "live.proof.", "bell": "live.tell."}

// ofExtra reports whether a text is one of theirs.
func ofExtra(name string) bool {
	for _, begin := range extras {
		if strings.HasPrefix(name, begin) {
			return true
		}
	}
	return false
}

// newExtras makes those of a language.
func newExtras(tag string, texts map[string]string) map[string]extra {
	made := make(map[string]extra)
	for kind, begin := range extras {
		own := make(map[string]string)
		for name, text := range texts {
			if rest, ok := strings.CutPrefix(name, begin); ok {
				own[rest] = text
			}
		}
		encoded, _ := json.Marshal(own) // strings always encode
		script := []byte(smallScript("(function () {\n'use strict';\nconst texts = " + string(encoded) + ";\n" + string(read("web/more/"+kind+".js")) + "})();\n"))
		made[kind] = extra{named(kind+"."+tag, script), script}
	}
	return made
}

// ProofSteps is the address of the steps of "check my place", empty where nothing is
// drawn.
func (d document) ProofSteps() string {
	if d.Views == "" || d.Room || d.Sale == "" {
		return ""
	}
	return assets + d.T.extras["steps"].name
}

// Bell is the address of what tells of one's turn, empty where that is not to come.
func (d document) Bell() string {
	if d.Sale == "" || d.Views == "" && d.Page != Invited {
		return ""
	}
	return assets + d.T.extras["bell"].name
}

// Worker is the address of what solves puzzles beside [Prove].
func (d document) Worker() string { return assets + workerName }
