package ledger

import (
	"fmt"
	"slices"
	"strings"
)

// noticeFields are what the notice of a payment can say.
var noticeFields = []string{"payment_id", "amount", "currency", "reservation"}

// misspelt fails on a field that is most likely one of noticeFields under a wrong
// name, where that one is not there. Others that are not known are the shop's own,
// and are let be: a provider may add some at any time. An amount that is not read
// is not compared, and nobody would notice.
func (f fields) misspelt() error {
	for _, right := range noticeFields {
		if _, there := f[right]; there {
			continue
		}
		for name := range f {
			if !slices.Contains(noticeFields, name) && alike(name, right) {
				return &badBody{fmt.Sprintf("%.40q: did you mean %s?", name, right)}
			}
		}
	}
	return nil
}

// alike reports whether two names differ in case, in dashes, in the order of their
// letters, or in one letter.
func alike(a, b string) bool {
	a, b = folded(a), folded(b)
	return a == b || sorted(a) == sorted(b) || oneEdit(a, b)
}

func folded(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}

func sorted(name string) string {
	letters := []byte(name)
	slices.Sort(letters)
	return string(letters)
}

// oneEdit reports whether one letter was put in, left out or replaced.
func oneEdit(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1
}
