package cachetests_test

import (
	"testing"

	"github.com/waitroom/waitroom/internal/cachetests"
)

func TestMarkdown(t *testing.T) {
	t.Parallel()
	one := func(name, version string, passed int) cachetests.Recorded {
		return cachetests.Recorded{Name: name, Version: version, Failed: []string{"a", "b"}, Unsafe: []string{"a"},
			Counts: map[cachetests.Kind]map[string]cachetests.Tally{
				cachetests.Required: {"g": {Passed: passed, Of: 9}}, cachetests.Optimal: {"h": {Passed: 1, Of: 2}},
			}}
	}
	us := one("waitroom", "", 7)
	us.Missed = []cachetests.Missed{
		{ID: "headers-store-Set-Cookie", Kind: cachetests.Required}, {ID: "x", Kind: cachetests.Required},
		{ID: "304-etag-update-response-Set-Cookie", Kind: cachetests.Required},
	}
	got := cachetests.Record{
		Groups: []cachetests.Group{{ID: "g", Name: "Good"}, {ID: "h", Name: "Handy"}},
		Caches: []cachetests.Recorded{us, one("nginx", "1.22.1", 5)},
	}.Markdown()
	want := `|  | waitroom | nginx 1.22.1 |
| --- | ---: | ---: |
| required, 9: passed | **7** | **5** |
| required: failed | 2 | 2 |
| of these: a stored answer is given that must not be | 1 | 1 |
| optimal, 2: passed | 1 | 1 |
| asked only, 0: yes | 0 | 0 |

| required behaviours that passed | waitroom | nginx 1.22.1 |
| --- | ---: | ---: |
| Good, 9 | 7 | 5 |

What is required and did not pass in waitroom:

- ` + "`headers-store-Set-Cookie`, `304-etag-update-response-Set-Cookie`" + `: an answer that sets a cookie is for one visitor, whatever else it says, and is never kept
- ` + "`x`" + `

Everything that is optimal passes in waitroom.
`
	if got != want {
		t.Errorf("the table is\n%s\nwant\n%s", got, want)
	}
}
