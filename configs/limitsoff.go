package configs

import (
	"maps"
	"slices"
)

type namedLimit struct {
	name  string
	limit Limit
}

// groups are the buckets that are on by default, by the key of their group.
func (l Limits) groups() map[string][]namedLimit {
	one := func(b Rates) []namedLimit {
		return []namedLimit{{"claim", b.Claim}, {"buy", b.Buy}, {"request", b.Request}}
	}
	join := func(b Rates) []namedLimit { return append([]namedLimit{{"join", b.Join}}, one(b)...) }
	return map[string][]namedLimit{"address": join(l.Address), "device": one(l.Device), "account": join(l.Account)}
}

// off are the limits that are off and would be on by default: a whole group, or all of
// them, is one.
func (l Limits) off() []string {
	var off, whole []string
	groups := l.groups()
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		var some []string
		for _, one := range groups[group] {
			if one.limit.Off {
				some = append(some, "limits."+group+"."+one.name)
			}
		}
		if len(some) == len(groups[group]) {
			some = []string{"limits." + group}
			whole = append(whole, group)
		}
		off = append(off, some...)
	}
	if len(whole) == len(groups) {
		return []string{"limits"}
	}
	return off
}
