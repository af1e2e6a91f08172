package cachetests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Record is what all caches did in one comparison. It is kept in the repository,
// so that a change is measured by it without the other caches at hand.
type Record struct {
	Groups []Group    `json:"groups"`
	Caches []Recorded `json:"caches"` // waitroom first
}

// Recorded is what one cache did.
type Recorded struct {
	Name    string                    `json:"name"`
	Version string                    `json:"version,omitempty"` // empty: what was built here
	Counts  map[Kind]map[string]Tally `json:"counts"`            // by group
	Failed  []string                  `json:"failed"`            // required behaviours that were refuted
	Unsafe  []string                  `json:"unsafe"`            // those of them that Guards
	Missed  []Missed                  `json:"missed,omitempty"`  // of waitroom: all that matter and did not pass
}

// Missed is a behaviour that did not pass.
type Missed struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"` // in Markdown, as the suite has it
	Kind    Kind    `json:"kind"`
	Outcome Outcome `json:"outcome"`
}

// Keep is what is recorded of a report.
func (c Cache) Keep(r Report) Recorded {
	kept := Recorded{Name: c.Name, Version: c.Version, Counts: map[Kind]map[string]Tally{}, Failed: []string{}, Unsafe: []string{}}
	for _, k := range []Kind{Required, Optimal, Check} {
		kept.Counts[k] = map[string]Tally{}
		for _, g := range r.Groups {
			if t := r.Count(k, g.ID); t.Of > 0 && g.ID != surrogate {
				kept.Counts[k][g.ID] = t
			}
		}
	}
	for _, b := range r.Missed(Required) {
		if b.Outcome == Failed {
			kept.Failed = append(kept.Failed, b.ID)
		}
		if b.Unsafe() {
			kept.Unsafe = append(kept.Unsafe, b.ID)
		}
	}
	if c.Name == us {
		for _, b := range append(r.Missed(Required), r.Missed(Optimal)...) {
			kept.Missed = append(kept.Missed, Missed{b.ID, b.Name, b.Kind, b.Outcome})
		}
	}
	return kept
}

// Sum adds up a kind over all groups.
func (r Recorded) Sum(k Kind) (t Tally) {
	for _, one := range r.Counts[k] {
		t.Passed += one.Passed
		t.Of += one.Of
	}
	return t
}

// Best is the most required behaviours that a cache other than waitroom passed.
func (r Record) Best() (most int) {
	for _, c := range r.Caches {
		if c.Name != us {
			most = max(most, c.Sum(Required).Passed)
		}
	}
	return most
}

const recordFile = "recorded.json"

// Load reads the record.
func Load() (r Record, err error) {
	dir, err := testdata()
	if err != nil {
		return r, err
	}
	text, err := os.ReadFile(filepath.Join(dir, recordFile))
	if err != nil {
		return r, fmt.Errorf("read record: %w", err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("read record: %w", err)
	}
	return r, nil
}

// Save replaces the record.
func (r Record) Save() error {
	dir, err := testdata()
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, recordFile), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}
