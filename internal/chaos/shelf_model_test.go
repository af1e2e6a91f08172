package chaos_test

import (
	"testing"

	"github.com/anishathalye/porcupine"
)

// The model itself: it must not explain what no gate may say.
func TestShelf_ExplainsNoWrongAnswer(t *testing.T) {
	t.Parallel()
	ok := said{what: "ok"}
	reserve := func(account int, hold string, qty int) ask { return ask{"reserve", account, hold, qty} }
	release := func(account int, hold string) ask { return ask{what: "release", account: account, hold: hold} }
	type call struct {
		ask    ask
		answer said
	}
	for _, test := range []struct {
		name  string
		calls []call // one after the other, of 4 units
		want  porcupine.CheckResult
	}{
		{"all sold", []call{{reserve(0, "a", 2), ok}, {reserve(1, "b", 2), ok}, {reserve(2, "c", 1), said{what: "sold out"}}}, porcupine.Ok},
		{"oversold", []call{{reserve(0, "a", 2), ok}, {reserve(1, "b", 2), ok}, {reserve(2, "c", 1), ok}}, porcupine.Illegal},
		{"sold out too early", []call{{reserve(0, "a", 2), ok}, {reserve(2, "c", 1), said{what: "sold out"}}}, porcupine.Illegal},
		{"too few too early", []call{{reserve(0, "a", 2), ok}, {reserve(2, "c", 2), said{what: "too few"}}}, porcupine.Illegal},
		{"too few, and it has some", []call{{reserve(0, "a", 2), ok}, {reserve(1, "b", 1), ok}, {reserve(0, "c", 2), said{what: "too few"}}}, porcupine.Ok},
		{"sold out, and it has some", []call{{reserve(0, "a", 2), ok}, {reserve(1, "b", 1), ok}, {reserve(0, "c", 2), said{what: "sold out"}}}, porcupine.Illegal},
		{"two for one account", []call{{reserve(0, "a", 1), ok}, {reserve(0, "b", 1), ok}}, porcupine.Illegal},
		{"the same again", []call{{reserve(0, "a", 1), ok}, {reserve(0, "a", 1), ok}, {ask{what: "look"}, said{what: "ok", n: 3}}}, porcupine.Ok},
		{"taken twice", []call{{reserve(0, "a", 1), ok}, {reserve(0, "a", 1), ok}, {ask{what: "look"}, said{what: "ok", n: 2}}}, porcupine.Illegal},
		{"given back twice", []call{{reserve(0, "a", 1), ok}, {release(0, "a"), ok}, {release(0, "a"), ok}}, porcupine.Illegal},
		{"in doubt, and done", []call{{reserve(0, "a", 1), said{what: "doubt"}}, {ask{what: "look"}, said{what: "ok", n: 3}}}, porcupine.Ok},
		{"in doubt, and not done", []call{{reserve(0, "a", 1), said{what: "doubt"}}, {ask{what: "look"}, said{what: "ok", n: 4}}}, porcupine.Ok},
		{"in doubt, and done twice", []call{{reserve(0, "a", 1), said{what: "doubt"}}, {ask{what: "look"}, said{what: "ok", n: 2}}}, porcupine.Illegal},
		{"a total that takes what is out", []call{{reserve(0, "a", 2), ok}, {ask{what: "total", qty: 1}, said{what: "ok", n: 1}}}, porcupine.Illegal},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var ops []porcupine.Operation
			for i, c := range test.calls {
				ops = append(ops, porcupine.Operation{Input: c.ask, Output: c.answer, Call: int64(2 * i), Return: int64(2*i + 1)})
			}
			if got := porcupine.CheckOperationsTimeout(shelfModel(4), ops, 0); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
