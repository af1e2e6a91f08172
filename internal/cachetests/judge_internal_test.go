package cachetests

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

const printed = `{
	"groups": [{"id": "g", "name": "Group"}, {"id": "surrogate-control", "name": "Another"}],
	"behaviours": [
		{"id": "good", "name": "good", "kind": "required", "group": "g"},
		{"id": "bad", "name": "bad", "kind": "required", "group": "g", "guards": true},
		{"id": "odd", "name": "odd", "kind": "required", "group": "g"},
		{"id": "unmet", "name": "unmet", "kind": "optimal", "group": "g", "guards": true},
		{"id": "retried", "name": "retried", "kind": "check", "group": "g"},
		{"id": "on good", "name": "on good", "kind": "required", "group": "g", "needs": ["good"]},
		{"id": "on bad", "name": "on bad", "kind": "required", "group": "g", "guards": true, "needs": ["good", "bad"]},
		{"id": "on that", "name": "on that", "kind": "optimal", "group": "g", "needs": ["on bad"]},
		{"id": "on nothing", "name": "on nothing", "kind": "optimal", "group": "g", "needs": ["no such"]},
		{"id": "left out", "name": "left out", "kind": "check", "group": "g"},
		{"id": "elsewhere", "name": "elsewhere", "kind": "required", "group": "surrogate-control"}
	],
	"results": {
		"good": true, "bad": ["Assertion", "seen"], "odd": ["TypeError", "seen"], "unmet": ["Setup", "seen"],
		"retried": ["Setup", "retry"], "on good": true, "on bad": true, "on that": true, "on nothing": true,
		"elsewhere": ["Assertion", "seen"]
	}
}`

func TestJudge(t *testing.T) {
	t.Parallel()
	a, err := readAnswers([]byte(printed))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := a.doubtful(), []string{"odd", "unmet", "retried", "left out"}; !slices.Equal(got, want) {
		t.Errorf("doubtful are %q, want %q", got, want)
	}
	report := a.judge()
	got := map[string]Outcome{}
	for _, b := range report.Behaviours {
		got[b.ID] = b.Outcome
		if (b.Why == "") != (b.Outcome == Passed || b.Outcome == Untried) {
			t.Errorf("%s %s because of %q", b.ID, b.Outcome, b.Why)
		}
	}
	want := map[string]Outcome{
		"good": Passed, "bad": Failed, "odd": Failed, "unmet": NoPremise, "retried": NoPremise, "on good": Passed,
		"on bad": Unproven, "on that": Unproven, "on nothing": Unproven, "left out": Untried, "elsewhere": Failed,
	}
	if !maps.Equal(got, want) {
		t.Errorf("outcomes are %v, want %v", got, want)
	}
	if got, want := report.Count(Required, "g"), (Tally{2, 5}); got != want {
		t.Errorf("%v required passed, want %v", got, want)
	}
	kept := Cache{Name: us}.Keep(report)
	if got, want := kept.Failed, []string{"bad", "odd"}; !slices.Equal(got, want) {
		t.Errorf("kept as failed: %v, want %v", got, want)
	}
	if got, want := kept.Unsafe, []string{"bad"}; !slices.Equal(got, want) {
		t.Errorf("kept as unsafe: %v, want %v", got, want)
	}
	if got, want := kept.Sum(Optimal), (Tally{0, 3}); got != want {
		t.Errorf("%v optimal passed, want %v", got, want)
	}
	if len(kept.Missed) != 6 {
		t.Errorf("%d kept as missed, want 6: %v", len(kept.Missed), kept.Missed)
	}
}

func TestReadAnswersRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `{"results": {"a": false}}`, `{"results": {"a": "Setup"}}`} {
		if _, err := readAnswers([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "read results: ") {
			t.Errorf("%q is read with the error %v", text, err)
		}
	}
}

func TestBest(t *testing.T) {
	t.Parallel()
	one := func(name string, passed int) Recorded {
		return Recorded{Name: name, Counts: map[Kind]map[string]Tally{Required: {"g": {passed, 9}, "h": {1, 1}}}}
	}
	if got := (Record{Caches: []Recorded{one(us, 9), one("nginx", 3), one("Varnish", 5)}}).Best(); got != 6 {
		t.Errorf("the best other passed %d, want 6", got)
	}
}

func TestTally(t *testing.T) {
	t.Parallel()
	text, err := Tally{7, 8}.MarshalText()
	if err != nil || string(text) != "7/8" {
		t.Errorf("a tally is written as %q, %v", text, err)
	}
	var read Tally
	if err := read.UnmarshalText(text); err != nil || read != (Tally{7, 8}) {
		t.Errorf("%q is read as %v, %v", text, read, err)
	}
	if err := read.UnmarshalText([]byte("seven")); err == nil {
		t.Error("a word is read as a tally")
	}
}
