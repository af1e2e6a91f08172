package configs

import (
	"slices"
	"strings"
)

// Nearest is the word that is most likely meant by one that is not known: at
// most a third of its letters away, or the beginning of it. ok is false where
// there is none.
func Nearest(word string, known []string) (meant string, ok bool) {
	if same := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(word)); contains(known, same) {
		return same, true
	}
	best, bound := "", max(len(word)/3, 1)+1
	for _, candidate := range known {
		if strings.Contains(candidate, ".") {
			continue
		}
		d := distance(strings.ToLower(word), candidate)
		if len(word) > 2 && (strings.HasPrefix(word, candidate) || strings.HasPrefix(candidate, word)) {
			d = min(d, 1)
		}
		if d < bound {
			best, bound = candidate, d
		}
	}
	return best, best != ""
}

// distance is the number of letters to insert, delete or replace between two
// words (Levenshtein), in one row of memory.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

func contains(known []string, key string) bool {
	return !strings.Contains(key, ".") && slices.Contains(known, key)
}
