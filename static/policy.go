package static

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
)

var (
	style  = smallStyle(string(read("web/page.css")))
	script = newScript("web/script/", scripts...)

	// What only the pages have that are no common ones comes before what sets it all going.
	ownScript = newScript("web/script/", slices.Insert(slices.Clone(scripts), len(scripts)-1, "own", "buy")...)

	// through stands before either, apart from it: it watches that it gets through its start.
	through = smallScript(string(read("web/through.js")))

	// scriptSource lets them run, and what they themselves load.
	scriptSource = "script-src " + digest(through) + " " + digest(script) + " " + digest(ownScript) + " 'strict-dynamic'"

	proveScript = newScript("web/prove/", "puzzle", "prove")

	policy = strings.Join([]string{
		"default-src 'none'",
		"style-src " + digest(style),
		scriptSource,
		"img-src data:",
		"connect-src 'self'",
		"form-action 'self'",
		"frame-ancestors 'none'",
		"base-uri 'none'",
	}, "; ")
)

// scripts are the parts of the page's one script, in the order in which they run.
var scripts = []string{"words", "told", "draw", "clock", "instant", "standing", "polls", "views", "proof", "ask", "renew", "bell", "use", "choice", "start"}

func newScript(folder string, parts ...string) string {
	var out strings.Builder
	out.WriteString("(function () {\n'use strict';\n")
	for _, part := range parts {
		out.Write(read(folder + part + ".js"))
	}
	out.WriteString("})();\n")
	return smallScript(out.String())
}

// ContentSecurityPolicy is the value of the header of that name for a page: its own
// style and script by their hashes, questions and forms to the same origin, nothing
// else, and never inside a frame. It is the same for every page but [Prove], which
// also has a worker, and whatever the check needs that it asks for, and [Framed], which
// is for frames alone.
func ContentSecurityPolicy(p Page, v View) string {
	own := policy
	if v.Brand != nil {
		own = v.Brand.policy
	}
	switch p {
	case Prove:
		return provePolicy(own, v.Asked.Check)
	case Framed:
		return strings.Replace(own, "frame-ancestors 'none'", "frame-ancestors *", 1)
	default:
		return own
	}
}

func digest(source string) string {
	sum := sha256.Sum256([]byte(source))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
