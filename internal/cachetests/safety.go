package cachetests

import "cmp"

// harm says what somebody gets who must not, where a required behaviour of a group
// fails that demands not to use a stored answer.
var harm = map[string]string{
	"auth":         "what was meant for one who is signed in goes to another",
	"cc-response":  "what is private or not to be stored goes to another",
	"vary":         "what was made for one kind of visitor goes to another",
	"vary-parse":   "what was made for one visitor alone goes to another",
	"other":        "the page of one address goes to another",
	"invalidation": "an old page stays after the change that its visitor has just made",
	"stale":        "an old page is shown although the shop forbade it",
	"heuristic":    "a page is kept that nobody may keep",
}

// Unsafe reports whether a behaviour that is required was refuted in the direction
// that does harm: a stored answer was given that must not be. Where it fails in the
// other direction, or is about the fields of an answer that was rightly given, a
// cache is only less useful.
func (b Behaviour) Unsafe() bool { return b.Kind == Required && b.Guards && b.Outcome == Failed }

// Harm says what comes of it where a behaviour is Unsafe.
func (b Behaviour) Harm() string {
	return cmp.Or(harm[b.Group], "an old page is shown as if it were new")
}
