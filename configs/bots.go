package configs

import "time"

// Bots is what is asked of who wants a ticket. The zero value asks nothing.
type Bots struct {
	Suspicious Suspicion
	LeastTime  time.Duration // between the page and the press; 0: none
	Proof      bool          // a proof of work
	Check      *Check        // nil: none
}

// Asks reports whether anything is asked.
func (b Bots) Asks() bool { return b.LeastTime > 0 || b.Proof || b.Check != nil }

// Suspicion is what becomes of who does not show what is asked, or comes from a block
// that has taken its tickets.
type Suspicion string

// What becomes of a suspicious entry.
const (
	Behind Suspicion = "behind" // a ticket that stands behind the draw
	Refuse Suspicion = "refuse" // no ticket
)

// Check asks somebody else whether a shopper is a person.
type Check struct {
	Kind    CheckKind
	SiteKey string // public, stands in the page
	Secret  Secret
	URL     Secret // who is asked; not set: the provider's own address
}

// CheckKind is one provider's way.
type CheckKind string

// The providers.
const (
	Turnstile CheckKind = "turnstile"
	HCaptcha  CheckKind = "hcaptcha"
)
