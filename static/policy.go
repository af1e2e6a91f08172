package static

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

var (
	style  = squeeze(string(read("web/page.css")))
	script = newScript("web/script/", scripts...)

	proveScript = newScript("web/prove/", "puzzle", "prove")

	policy = strings.Join([]string{
		"default-src 'none'",
		"style-src " + digest(style),
		"script-src " + digest(script),
		"img-src data:",
		"connect-src 'self'",
		"form-action 'self'",
		"frame-ancestors 'none'",
		"base-uri 'none'",
	}, "; ")
)

// scripts are the parts of the page's one script, in the order in which they run.
var scripts = []string{"words", "told", "draw", "clock", "standing", "polls", "views", "proof", "ask", "renew", "buy", "start"}

func newScript(folder string, parts ...string) string {
	var out strings.Builder
	out.WriteString("(function () {\n'use strict';\n")
	for _, part := range parts {
		out.WriteString(squeeze(string(read(folder + part + ".js"))))
	}
	out.WriteString("})();\n")
	return out.String()
}

// ContentSecurityPolicy is the value of the header of that name for a page: its own
// style and script by their hashes, questions and forms to the same origin, nothing
// else, and never inside a frame. It is the same for every page but [Prove], which
// also has a worker, and whatever the check needs that it asks for.
func ContentSecurityPolicy(p Page, v View) string {
	own := policy
	if v.Brand != nil {
		own = v.Brand.policy
	}
	if p == Prove {
		return provePolicy(own, v.Asked.Check)
	}
	return own
}

func digest(source string) string {
	sum := sha256.Sum256([]byte(source))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// squeeze drops indentation, empty lines and lines that are only a comment.
// Style and script are written so that this changes nothing else: no text goes
// over a line's end, and each block comment has its lines to itself.
func squeeze(source string) string {
	var out strings.Builder
	comment := false
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		comment = comment || strings.HasPrefix(line, "/*")
		if line != "" && !comment && !strings.HasPrefix(line, "//") {
			out.WriteString(line + "\n")
		}
		comment = comment && !strings.HasSuffix(line, "*/")
	}
	return out.String()
}
