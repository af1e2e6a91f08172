package cachetests

import (
	"encoding/json"
	"fmt"
)

// Kind is how much a behaviour matters.
type Kind string

// The kinds, as the suite names them.
const (
	Required Kind = "required"
	Optimal  Kind = "optimal"
	Check    Kind = "check"
)

// Outcome is what came of a behaviour.
type Outcome string

// The outcomes. Only Failed refutes a behaviour.
const (
	Passed    Outcome = "passed"
	Failed    Outcome = "failed"
	NoPremise Outcome = "no premise" // what it presupposes did not come about
	Unproven  Outcome = "unproven"   // it builds on one that did not pass
	Untried   Outcome = "untried"
)

// Behaviour is one test of the suite, with what came of it.
type Behaviour struct {
	ID, Name string
	Group    string // the Group's ID
	Kind     Kind
	Guards   bool     // it demands that a stored answer is not used, or not without asking
	Needs    []string // IDs of those that it builds on
	Outcome  Outcome  `json:"-"`
	Why      string   `json:"-"` // what the suite saw instead; empty: Passed
}

// Group is a chapter of the suite.
type Group struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Report is what a run found, in the suite's order.
type Report struct {
	Groups     []Group
	Behaviours []Behaviour
}

// answers is what testdata/client.mjs prints.
type answers struct {
	Report
	Results map[string]result
}

func readAnswers(printed []byte) (a answers, err error) {
	if err := json.Unmarshal(printed, &a); err != nil {
		return a, fmt.Errorf("read results: %w", err)
	}
	return a, nil
}

// doubtful are those that neither passed nor were seen to fail: a connection may
// have been cut, or something come late.
func (a answers) doubtful() (ids []string) {
	for _, b := range a.Behaviours {
		if r := a.Results[b.ID]; !r.passed && r.kind != "Assertion" {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

// judge gives each behaviour its outcome.
func (a answers) judge() Report {
	j := judge{a.Results, map[string]*Behaviour{}}
	for i := range a.Behaviours {
		j.by[a.Behaviours[i].ID] = &a.Behaviours[i]
	}
	for i := range a.Behaviours {
		j.outcome(a.Behaviours[i].ID)
	}
	return a.Report
}

// result is true, or what went wrong and how.
type result struct {
	passed    bool
	kind, why string
}

func (r *result) UnmarshalJSON(text []byte) error {
	if string(text) == "true" {
		r.passed = true
		return nil
	}
	var fault [2]string
	if err := json.Unmarshal(text, &fault); err != nil {
		return fmt.Errorf("%s is neither true nor a fault: %w", text, err)
	}
	r.kind, r.why = fault[0], fault[1]
	return nil
}

type judge struct {
	results map[string]result
	by      map[string]*Behaviour
}

// outcome judges a behaviour, after those that it builds on. The suite has no
// circles.
func (j judge) outcome(id string) Outcome {
	b := j.by[id]
	if b == nil {
		return Untried
	}
	if b.Outcome != "" {
		return b.Outcome
	}
	r, tried := j.results[id]
	if !tried {
		b.Outcome = Untried
		return b.Outcome
	}
	b.Outcome, b.Why = r.outcome(), r.why
	for _, need := range b.Needs {
		if j.outcome(need) != Passed {
			b.Outcome, b.Why = Unproven, "builds on "+need
			break
		}
	}
	return b.Outcome
}

func (r result) outcome() Outcome {
	switch {
	case r.passed:
		return Passed
	case r.kind == "Setup":
		return NoPremise
	default: // Assertion, or an answer that the suite cannot make sense of
		return Failed
	}
}
