package configs_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/configs"
)

// TestAdvice_Whole: a day and an hour are only advised where all of what was typed is
// understood: else the form alone, so that nobody is told an hour that they do not mean.
func TestAdvice_Whole(t *testing.T) {
	t.Parallel()
	const (
		form    = "write day and hour alone, from 00:00 to 23:59, as 2026-12-27 18:30"
		evening = "write 2026-12-27 18:30"
	)
	for value, right := range map[string]string{
		"2026-12-27 6:30 p. m.":                  evening,
		"27/12/2026 6:30 p.m.":                   evening,
		"2026/12/27 下午 6:30":                     evening,
		"2026/12/27 午後6:30":                      evening,
		"2026-12-27 오후 6:30":                     evening,
		"27.12.2026 6:30 ÖS":                     evening,
		"27/12/2026 6:30 CH":                     form,
		"2026-12-27 6:30 P":                      form,
		"2026-12-27 8 Uhr abends":                "write 2026-12-27 20:00",
		"2026-12-27 8:00 in the evening":         "write 2026-12-27 20:00",
		"2026-12-27 8 o'clock in the evening":    "write 2026-12-27 20:00",
		"2026-12-27 7h du soir":                  "write 2026-12-27 19:00",
		"2026-12-27 8:00 at night":               form,
		"27 Dec 2026 quarter to 11:00":           form,
		"27 Dec 2026 half past 10":               form,
		"27.12.2026 gegen 10 Uhr":                form,
		"2026-12-27 13:00 am":                    form,
		"2026-12-27 0:00 pm":                     form,
		"2026-12-27 18:30 pm":                    evening,
		"2026-12-27 12 pm":                       "write 2026-12-27 12:00 for noon, or 2026-12-27 00:00 for the day's beginning",
		"27.12.2026 24:00":                       "write 2026-12-28 00:00",
		"27.12.2026 24 Uhr":                      "write 2026-12-28 00:00",
		"27.12.2026 18":                          form,
		"2026-12-27 1800":                        form,
		"2026-12-27 10,30":                       form,
		"2026-12-27 10;00":                       form,
		"2026-12-27":                             "write it behind the day, as 2026-12-27 10:00",
		"27-Dec-2026 18:30":                      evening,
		"Dec-27-2026 18:30":                      evening,
		"20261227 18:30":                         evening,
		"tomorrow 10:00":                         "write day and hour alone, from 00:00 to 23:59, as 2026-11-27 18:30",
		"Monday 27 December 2026 10:00":          "correct one of the two",
		"26-12-27 18:30":                         "write 2027-12-26 18:30 or 2026-12-27 18:30",
		"28.3.2027 2:30":                         "choose another hour",
		"2026-12-27 18:30 Berlin":                evening,
		"2026-12-27 17:30 UTC":                   evening,
		"Sonntag, den 27.12.2026 um 18:30 Uhr":   evening,
		"2026-12-27 18:30 Narnia Time":           form,
		"domingo 27 de diciembre de 2026, 18:30": evening,
	} {
		_, err := with(t, "opens", `"`+value+`"`)
		if faults, ok := errors.AsType[configs.Faults](err); !ok || len(faults) != 1 || faults[0].Right != right {
			t.Errorf("%s: got %v, want %q", value, err, right)
		}
	}
}

// TestAdvice_WholeRepeat: so it is with what comes again and again. No rule is advised that
// is another one than was typed.
func TestAdvice_WholeRepeat(t *testing.T) {
	t.Parallel()
	const week, workdays = "write one as every Thursday 18:00, or every day 18:00", "write every Monday, Tuesday, Wednesday, Thursday and Friday 10:00"
	for value, right := range map[string]string{
		"Mon-Fri 10:00":                              workdays,
		"Monday to Friday 10:00":                     workdays,
		"Montag bis Freitag, 10 Uhr":                 workdays,
		"Thursday through Sunday 10:00":              "write every Thursday, Friday, Saturday and Sunday 10:00",
		"Mon-Sun 10:00":                              "write every day 10:00",
		"every Thursday 6:30 p. m.":                  "write every Thursday 18:30",
		"jeden Donnerstag um 18 Uhr":                 "write every Thursday 18:00",
		"tous les jeudis à 18h":                      "write every Thursday 18:00",
		"every day except Sunday 10:00":              "",
		"every weekday except Friday 10:00":          "",
		"every other Thursday 10:00":                 "",
		"every second Thursday 10:00":                "",
		"every 2nd Thursday 10:00":                   "",
		"biweekly Thursday 10:00":                    "",
		"jeden zweiten Donnerstag 10:00":             "",
		"first Thursday of the month 10:00":          "",
		"every month on Monday 10:00":                "",
		"every third day 10:00":                      "",
		"every Thursday 10:00 until Christmas":       "",
		"every Thursday 18:00-20:00":                 week,
		"every Thursday 6-8pm":                       week,
		"Thursdays at 18:00 and Fridays at 20:00":    week,
		"jeden Donnerstag mit Beginn 18:00":          week,
		"every Thursday 12pm":                        "write 12:00 or 00:00",
		"every Thursday 12:30pm":                     week,
		"every Thursday quarter to 10:00":            "write the days as Thursday, or every day",
		"weekdays 10:00":                             workdays,
		"every Monday, Thursday & Thursday at 18:00": "write every Monday and Thursday 18:00",
	} {
		var lines []string
		for line := range strings.Lines(smallSale) {
			if !strings.HasPrefix(line, "doors") && !strings.HasPrefix(line, "opens") && !strings.HasPrefix(line, "closes") {
				lines = append(lines, line)
			}
		}
		name := folder(t, "", nil)
		write(t, name, strings.Join(lines, "")+"repeat: \""+value+"\"\n")
		_, _, err := configs.LoadSaleFile(name, now)
		faults, ok := errors.AsType[configs.Faults](err)
		if right == "" {
			right = "only days of the week can, each week without an end, as every Thursday 18:00; for anything else write a file for each day, with doors, opens and closes"
		}
		if !ok || len(faults) != 1 || faults[0].Right != right {
			t.Errorf("%s: got %v, want %q", value, err, right)
		}
	}
}
