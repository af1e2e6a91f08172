package cachetests

import "fmt"

// Tally is how many of some behaviours passed.
type Tally struct{ Passed, Of int }

// MarshalText writes a tally as "7/8".
func (t Tally) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d/%d", t.Passed, t.Of), nil }

// UnmarshalText reads what MarshalText writes.
func (t *Tally) UnmarshalText(text []byte) error {
	if _, err := fmt.Sscanf(string(text), "%d/%d", &t.Passed, &t.Of); err != nil {
		return fmt.Errorf("read tally %q: %w", text, err)
	}
	return nil
}

// surrogate is the group about Surrogate-Control, a note of 2001 that no RFC has
// taken up. The suite's client tries it, and its page shows it for CDNs only: it
// counts for nobody here.
const surrogate = "surrogate-control"

// Count counts the behaviours of a kind in one group.
func (r Report) Count(k Kind, group string) (t Tally) {
	for _, b := range r.Behaviours {
		if b.Kind == k && b.Group == group {
			t.Of++
			if b.Outcome == Passed {
				t.Passed++
			}
		}
	}
	return t
}

// Missed are the behaviours of a kind that count and did not pass.
func (r Report) Missed(k Kind) (missed []Behaviour) {
	for _, b := range r.Behaviours {
		if b.Kind == k && b.Group != surrogate && b.Outcome != Passed {
			missed = append(missed, b)
		}
	}
	return missed
}
