package configs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// The tests of this file are faults that others met: values that one reader takes for
// something else than the next one.

// with is the small sale with a key that says something else, and what becomes of it.
func with(t *testing.T, key, value string) (*configs.Sale, error) {
	t.Helper()
	var lines []string
	for line := range strings.Lines(smallSale) {
		if !strings.HasPrefix(line, key+":") {
			lines = append(lines, line)
		}
	}
	name := filepath.Join(t.TempDir(), "sale.yaml")
	write(t, name, strings.Join(lines, "")+key+": "+value+"\n")
	s, _, err := configs.LoadSaleFile(name, now)
	return s, err
}

// TestMisspeltKeys: a key that is misspelt or under the wrong parent, and a name that two
// files have, are refused at the start and while it runs, with file, line and key.
func TestMisspeltKeys(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, a, b, want string }{
		{"misspelt", strings.Replace(future, "admit:", "admi:", 1), "", "a.yaml:11:1: admi: unknown key, did you mean \"admit\"?"},
		{"wrong parent", strings.Replace(future, "admit:", "shed:\n  admit:", 1), "", "a.yaml:12:3: shed.admit: unknown key, \"admit\" belongs at the left margin"},
		{"one name twice", future, strings.NewReplacer("/toys/golden", "/toys/silver").Replace(future), "b.yaml:1:7: sale: \"golden-toy\" is also the sale of "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := folder(t, smallOperator, map[string]string{"a.yaml": future})
			bad := func() {
				sales := filepath.Join(filepath.Dir(file), "sales")
				write(t, filepath.Join(sales, "a.yaml"), test.a)
				if test.b != "" {
					write(t, filepath.Join(sales, "b.yaml"), test.b)
				}
			}
			synctest.Test(t, func(t *testing.T) {
				_, applied, logs := watchedQuietly(t, file, nil)
				bad()
				time.Sleep(minute)
				refused := logs.FilterMessage("configuration refused, the running one stays in force").All()
				if len(refused) != 1 || len(applied) != 0 {
					t.Fatalf("got %d logs and %d configurations, want 1 and 0", len(refused), len(applied))
				}
			})
			_, err := configs.Load(file, environment, now)
			if faults, ok := errors.AsType[configs.Faults](err); !ok || !strings.Contains(faults.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestNumbersWithoutUnits: a number without its unit is refused, never a hold of so many
// nanoseconds, and nothing is no limit.
func TestNumbersWithoutUnits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		key, value, want string // empty: it is taken
	}{
		{"hold", "300", `"300" has no unit, write 300s, 300m or 300h`},
		{"hold", `"300"`, `"300" has no unit, write 300s, 300m or 300h`},
		{"hold", "5 m", "write 5m"},
		{"hold", "5min", "write 5m"},
		{"hold", "-5m", `"-5m" is negative`},
		{"hold", "0", `"0" is not a duration`},
		{"hold", "1.5h", "write 1h30m"},
		{"hold", "1h30m", ""},
		{"admit", "0", `"0" is not a rate`},
		{"admit", "0/s", "0/s is out of bounds"},
		{"admit", "0.5", "write 30/min"},
		{"admit", "0.5/s", "write 30/min"},
		{"admit", "30/min", ""},
		{"stock", "1_000", "write 1000"},
		{"stock", "1e3", "write 1000"},
	} {
		switch s, err := with(t, test.key, test.value); {
		case test.want == "" && err != nil:
			t.Errorf("%s: %s: got %v, want that it is taken", test.key, test.value, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), ": "+test.key+": ") || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %s: got %v, want %q", test.key, test.value, err, test.want)
		case test.value == "30/min" && s.Admit.PerSecond() != 0.5:
			t.Errorf("30/min: got %v a second, want one every two seconds", s.Admit.PerSecond())
		case test.value == "1h30m" && s.Hold != 90*time.Minute:
			t.Errorf("1h30m: got %s", s.Hold)
		}
	}
}

// TestTimesOfDay: no time is a number to the base of 60, and quotes make no difference.
func TestTimesOfDay(t *testing.T) {
	t.Parallel()
	for _, clock := range []string{"10:00", "09:30", "10:00:00", "1:30"} {
		var said []string
		for _, quote := range []string{"", `"`, "'"} {
			_, err := with(t, "opens", quote+clock+quote)
			faults, ok := errors.AsType[configs.Faults](err)
			if !ok || len(faults) != 1 || faults[0].Key != "opens" || !strings.Contains(faults[0].Wrong, `"`+clock+`" has no date`) {
				t.Fatalf("%s%s%s: got %v, want that it has no date", quote, clock, quote, err)
			}
			said = append(said, faults[0].Wrong+faults[0].Right)
		}
		if said[0] != said[1] || said[0] != said[2] {
			t.Errorf("%s: got %q, want the same three times", clock, said)
		}
		long := clock
		if len(long) < 5 {
			long = "0" + long
		}
		plain, errPlain := with(t, "opens", "2026-11-27 "+long)
		quoted, errQuoted := with(t, "opens", `"2026-11-27 `+long+`"`)
		if (errPlain == nil) != (errQuoted == nil) || errPlain == nil && !plain.Opens.Equal(quoted.Opens) {
			t.Errorf("%s: got %v and %v, want the same with quotes and without", long, errPlain, errQuoted)
		}
	}
}

// TestWordsLikeNumbers: a text keeps what was typed, and what is true or false is that.
func TestWordsLikeNumbers(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"NO", "no", "yes", "on", "off", "false", "012345", "1e3", "0x1F", "null", "~", "2026-11-27", "12:30", "1_000", ".5", "+1"} {
		for _, quote := range []string{"", `"`, "'"} {
			s, err := with(t, "title", quote+typed+quote)
			if quote == "" && (typed == "null" || typed == "~") { // what programs write for nothing
				if err == nil || !strings.Contains(err.Error(), "title: empty") {
					t.Errorf("title: %s: got %+v, %v; want that it is empty", typed, s, err)
				}
				continue
			}
			if err != nil || s.Title != typed {
				t.Errorf("title: %s%s%s: got %+v, %v; want %s", quote, typed, quote, s, err, typed)
			}
		}
	}
	for value, want := range map[string]string{"true": "true", `"true"`: "true", "false": "false", `"false"`: "false", "yes": "write true", "no": "write false", "on": "write true", "1": "write true", "NO": "write false", "True": "true", "null": "a value or leave"} {
		s, err := with(t, "one_ticket_per_account", value)
		switch {
		case strings.HasPrefix(want, "write") || strings.Contains(want, " or ") || value == "True":
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", value, err, want)
			}
		case err != nil || s.OneTicketPerAccount != (want == "true"):
			t.Errorf("%s: got %v, want %s", value, err, want)
		}
	}
}

// TestUnread: a file that looks like a sale's and is not read is told, and no other.
func TestUnread(t *testing.T) {
	t.Parallel()
	file := folder(t, smallOperator, map[string]string{
		"a.yaml": smallSale, "b.yml": smallSale, "c.yaml.txt": smallSale, "notes.txt": "sale: on Friday, says\nMary\n", "old.yaml.bak": smallSale, ".d.yml": smallSale, "e.txt": "",
	})
	if err := os.Mkdir(filepath.Join(filepath.Dir(file), "sales", "f.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range load(t, file, now).Unread() {
		got = append(got, filepath.Base(f.File)+" "+f.Right)
	}
	if want := "b.yml rename it to b.yaml, c.yaml.txt rename it to c.yaml"; strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
