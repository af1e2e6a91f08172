package configs_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// TestAdvice: what people type becomes the advice, put right where it can only mean one
// thing, and all that it can mean where it is not.
func TestAdvice(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ key, value, right string }{
		{"opens", "3.4.2026 9:05", "write 2026-04-03 09:05"},
		{"opens", "3.4.26 9:05 Uhr", "write 2026-04-03 09:05"},
		{"opens", "4/3/2026 9:05 am", "write 2026-03-04 09:05 or 2026-04-03 09:05"},
		{"opens", "13/3/2026 9:05", "write 2026-03-13 09:05"},
		{"opens", "2026/11/27 10:00", "write 2026-11-27 10:00"},
		{"opens", "2026-11-27T10:00:00Z", "write 2026-11-27 11:00"},
		{"opens", "2026-11-27T10:00:30", "write 2026-11-27 10:00:30"},
		{"opens", "27. November 2026, 18 Uhr", "write 2026-11-27 18:00"},
		{"opens", "27 Nov 2026 6pm", "write 2026-11-27 18:00"},
		{"opens", "Nov 27 2026 12am", "write 2026-11-27 12:00 for noon, or 2026-11-27 00:00 for the day's beginning"},
		{"opens", "Nov 27 2026 12pm", "write 2026-11-27 12:00 for noon, or 2026-11-27 00:00 for the day's beginning"},
		{"opens", "November 27 6pm", "write day and hour as 2026-11-27 10:00"},
		{"opens", "noon", "write both, as 2026-11-27 12:00"},
		{"opens", "2026-13-01 10:00", "write day and hour as 2026-11-27 10:00"},
		{"opens", "31.04.2026 10:00", "April 2026 has 30 days"},
		{"opens", "tomorrow", "write day and hour as 2026-11-27 10:00"},
		{"opens", "2026-11-27 25:00", "write an hour from 00:00 to 23:59, as 2026-11-27 10:00"},
		{"opens", "2026-12-11T10:00:00+01:00", "write 2026-12-11 10:00"},
		{"opens", "2026-12-11T10:00Z", "write 2026-12-11 11:00"},
		{"opens", "2026-12-11T10:00", "write 2026-12-11 10:00"},
		{"opens", "11.12.2026 10 Uhr UTC", "write 2026-12-11 11:00"},
		{"opens", "2026-12-11 10:00 CET", "write 2026-12-11 10:00"},
		{"opens", "2026-12-11 10:00 EST", "write 2026-12-11 16:00"},
		{"opens", "2026-12-11 10:00 UTC+3", "write 2026-12-11 08:00"},
		{"opens", "2026-12-11 10:00 -05:00", "write 2026-12-11 16:00, which is then, or leave -05:00 out"},
		{"opens", "Monday 11 December 2026 10:00", "correct one of the two"},
		{"opens", "Friday 11/12/2026 10:00", "write 2026-12-11 10:00"},
		{"opens", "2026-12-11 midnight", "write 2026-12-11 00:00 for its beginning, or 2026-12-12 00:00 for its end"},
		{"opens", "2026-12-11 noon", "write 2026-12-11 12:00"},
		{"opens", "2026-12-11 10:00-12:00", "write 2026-12-11 10:00, and 2026-12-11 12:00 under closes"},
		{"opens", "11.12.2026 10-12 Uhr", "write 2026-12-11 10:00, and 2026-12-11 12:00 under closes"},
		{"opens", "11 Dec 2026 6pm to 8pm", "write 2026-12-11 18:00, and 2026-12-11 20:00 under closes"},
		{"opens", "2026年12月11日 10:00", "write 2026-12-11 10:00"},
		{"opens", "2026年12月11日 午後6時", "write 2026-12-11 18:00"},
		{"opens", "2026년 12월 11일 10시 30분", "write 2026-12-11 10:30"},
		{"opens", "vendredi 11 décembre 2026 à 10h00", "write 2026-12-11 10:00"},
		{"opens", "11 de diciembre de 2026 a las 10:00", "write 2026-12-11 10:00"},
		{"closes", "2h", "write 2026-11-27 12:00"},
		{"closes", "+2h", "write 2026-11-27 12:00"},
		{"closes", "2 hours later", "write 2026-11-27 12:00"},
		{"closes", "12:00", "write 2026-11-27 12:00"},
		{"closes", "1:00", "write 2026-11-28 01:00"},
		{"doors", "30m", "write 2026-11-27 09:30"},
		{"doors", "30 minutes before", "write 2026-11-27 09:30"},
		{"doors", "9 Uhr", "write 2026-11-27 09:00"},
		{"doors", "12 Uhr", "write both, as 2026-11-27 12:00"},
		{"timezone", "new york", "write America/New_York"},
		{"timezone", "europe/berlin", "write Europe/Berlin"},
		{"timezone", "(GMT+01:00) Amsterdam, Berlin, Rome", "write Europe/Amsterdam"},
		{"timezone", "Rio de Janeiro", "write the largest city that has your time, as Europe/Berlin, or UTC"},
		{"timezone", "UK", "write Europe/London"},
		{"opens", "2026-12-11 10:00 CST", "write day and hour on the clocks of Europe/Berlin, without CST"},
		{"opens", "11.12.2026 10 Uhr (ist)", "write day and hour on the clocks of Europe/Berlin, without IST"},
		{"opens", "2026-12-11 10:00 BST", "write day and hour on the clocks of Europe/Berlin, without BST"},
		{"timezone", "CST", "write the city: America/Chicago, Asia/Shanghai or America/Havana"},
		{"timezone", "ist", "write the city: Asia/Kolkata, Europe/Dublin or Asia/Jerusalem"},
		{"timezone", "BST", "write the city: Europe/London or Asia/Dhaka"},
		{"timezone", "utc", "write UTC"},
		{"timezone", "GMT", "write Europe/London, or UTC where there is no summer time"},
		{"timezone", "PST", "write the largest city that has your time, as America/Los_Angeles"},
		{"stock", "1.000", "write 1000 if it is thousands, or 1"},
		{"stock", "10 000", "write 10000"},
		{"stock", "two hundred and fifty", "write 250"},
		{"stock", "two dozen", "write 24"},
		{"stock", "10k", "write 10000"},
		{"stock", "ca. 100 Stück", "write 100"},
		{"stock", "100-200", "write a whole number in plain digits, as 100"},
		{"stock", "1.5", "write a whole number in plain digits, as 100"},
		{"stock", "１００", "write 100"},
		{"admit", "2.000/s", "write 2000/s if it is thousands; otherwise write 120/min"},
		{"admit", "2000/sec", "write 2000/s"},
		{"admit", "100 people per minute", "write 100/min"},
		{"admit", "2000 / s", "write 2000/s"},
		{"admit", "2k/s", "write 2000/s"},
		{"admit", "600 pro Stunde", "write 600/h"},
		{"admit", "fast", "write a whole number in a span, as 2000/s, 30/min or 600/h"},
		{"hold", "1 hour 30 minutes", "write 1h30m"},
		{"hold", "half an hour", "write 30m"},
		{"hold", "10 Minuten", "write 10m"},
		{"hold", "an hour", "write 1h"},
		{"hold", "a while", "write whole hours, minutes and seconds, as 1h30m, 10m or 90s"},
		{"price", "1.299,00 €", "write 1299.00 EUR"},
		{"price", "€19.9", "write 19.90 EUR"},
		{"price", "£5", "write 5.00 GBP"},
		{"price", "¥1900", "write 1900 JPY, if it is yen of Japan"},
		{"price", "20 Euro", "write 20.00 EUR"},
		{"price", "19,90", "write its code behind it, as 19.90 EUR"},
		{"price", "free", "write amount and currency, as 19.90 EUR"},
		{"conversion", "10", "write 10%"},
		{"conversion", "0.1", "write 10% or 0.1%"},
		{"conversion", "0,05", "write 5%"},
		{"conversion", "1", "write 100% or 1%"},
		{"conversion", "10 %", "write 10%"},
		{"product_page", "/toys/my golden toy", "write a path as /toys/golden"},
		{"product_page", "/toys//golden", "write /toys/golden"},
		{"product_page", "https://www.toys.example", "write a path as /toys/golden"},
		{"buy", "post: /toys/golden/buy", "write POST /toys/golden/buy"},
		{"buy", "https://www.toys.example/cart/add?id=5", "write POST /cart/add, if nothing else has that path: what stands behind ? is not looked at"},
		{"buy", "buy", "write method and path, as POST /toys/golden/buy: POST, PUT or PATCH"},
		{"checkout", "/checkout?a=b", "write /checkout?a=b&reservation={reservation}"},
		{"buy", "/toys/golden/buy POST", "write POST /toys/golden/buy"},
		{"mix", "true", "name what everybody can look up, as mix: lottery numbers of 27 November, or leave it out"},
		{"title", "<b>Golden</b> toy", "write Golden toy"},
		{"title", "<h1>", "write what shoppers read, as Golden toy"},
		{"title", "Golden\u200b toy", "write Golden toy"},
		{"checkout", "/checkout?reservation=$reservation", "write /checkout?reservation={reservation}"},
		{"checkout", "/checkout?reservation=4711&a=b", "write /checkout?reservation={reservation}&a=b"},
		{"checkout", "/checkout/:reservation", "write /checkout/{reservation}"},
		{"checkout", "/checkout/{{reservation}}", "write /checkout/{reservation}"},
		{"sale", "Golden Toy 2026!", "write golden-toy-2026"},
		{"sale", "黄金", "write a-z, 0-9 and -, at most 48, as golden-toy"},
		{"late_payment", "Refund", "did you mean \"refund\"?"},
	} {
		_, err := with(t, test.key, `"`+test.value+`"`)
		faults, ok := errors.AsType[configs.Faults](err)
		if !ok || len(faults) != 1 || faults[0].Right != test.right {
			t.Errorf("%s: %s: got %v, want %q", test.key, test.value, err, test.right)
		}
	}
}

// TestAdvice_Repeat: the same of a time that comes again and again.
func TestAdvice_Repeat(t *testing.T) {
	t.Parallel()
	const rare = "only days of the week can, each week without an end, as every Thursday 18:00; for anything else write a file for each day, with doors, opens and closes"
	for value, right := range map[string]string{
		"each thursday 6pm": "write every Thursday 18:00", "Thu 18:00": "write every Thursday 18:00", "every Thursday at 18:00": "write every Thursday 18:00",
		"Mondays and Fridays 12:00": "write every Monday and Friday 12:00", "every weekday 9am": "write every Monday, Tuesday, Wednesday, Thursday and Friday 09:00",
		"every weekend 10:00": "write every Saturday and Sunday 10:00", "täglich um 18 Uhr": "write every day 18:00", "every Thursday": "write it behind the days, as every Thursday 18:00",
		"every month 18:00": rare, "first Friday 10:00": rare, "every Thursday 18:00 until 2027": rare, "every other Thursday 18:00": rare, "jeden zweiten Donnerstag 18:00": rare, "weekly": "write one as every Thursday 18:00, or every day 18:00", "every Thirsday 18:00": "did you mean Thursday?",
	} {
		text := "repeat: \"" + value + "\"\n"
		for line := range strings.Lines(smallSale) {
			if !strings.HasPrefix(line, "doors") && !strings.HasPrefix(line, "opens") && !strings.HasPrefix(line, "closes") {
				text += line
			}
		}
		name := folder(t, "", nil)
		write(t, name, text)
		_, _, err := configs.LoadSaleFile(name, now)
		if faults, ok := errors.AsType[configs.Faults](err); !ok || len(faults) != 1 || faults[0].Right != right {
			t.Errorf("%s: got %v, want %q", value, err, right)
		}
	}
}

// TestAdvice_Buy: a colon behind the method is left out, with and without quotes.
func TestAdvice_Buy(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"POST: /toys/golden/buy", `"POST: /toys/golden/buy"`} {
		if _, err := with(t, "buy", value); err == nil || !strings.Contains(err.Error(), "POST /toys/golden/buy\n") || strings.Contains(err.Error(), `write buy: "`) {
			t.Errorf("%s: got %v, want the request without the colon", value, err)
		}
	}
}

// TestAdvice_Ahead: the days of examples are ahead of the instant at which a file is read.
func TestAdvice_Ahead(t *testing.T) {
	t.Parallel()
	file := folder(t, "", nil)
	write(t, file, strings.Replace(smallSale, "opens: ", "opens: noon # ", 1))
	for at, want := range map[string]string{"2026-11-26": "2026-11-27", "2026-11-27": "2026-12-04", "2027-01-02": "2027-01-08"} {
		day, _ := time.Parse(time.DateOnly, at)
		if _, _, err := configs.LoadSaleFile(file, day); err == nil || !strings.Contains(err.Error(), "write both, as "+want+" 12:00") {
			t.Errorf("%s: got %v, want %s", at, err, want)
		}
	}
}

// TestAdvice_Titles: what a title may begin with, and that remarks begin with #.
func TestAdvice_Titles(t *testing.T) {
	t.Parallel()
	for _, title := range []string{"[NEW] Golden toy", "{new} toy", "> toy", "| toy", "& toy", "&toy golden", "! toy", "!new toy", "[NEW]", "* toy", "@home"} {
		if _, err := with(t, "title", title); err == nil || !strings.Contains(err.Error(), `write title: "`+title+`"`) {
			t.Errorf("%s: got %v, want it in quotes", title, err)
		}
	}
	if _, err := with(t, "stock", "100\n// a remark"); err == nil || !strings.Contains(err.Error(), "write # in place of //") {
		t.Errorf("a remark: got %v", err)
	}
	if _, err := with(t, "paused", "true"); err == nil || !strings.Contains(err.Error(), "ask who runs waitroom") {
		t.Errorf("paused: got %v", err)
	}
}
