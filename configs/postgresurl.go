package configs

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// postgresValues are parameters that the client reads, and the values that it
// takes. What it does not know it hands to the server. The client itself is not
// asked: this package is part of an edge, and an edge does not reach Postgres.
var postgresValues = map[string][]string{
	"sslmode":                 {"disable", "allow", "prefer", "require", "verify-ca", "verify-full"},
	"target_session_attrs":    {"any", "read-write", "read-only", "primary", "standby", "prefer-standby"},
	"channel_binding":         {"disable", "prefer", "require"},
	"default_query_exec_mode": {"cache_statement", "cache_describe", "describe_exec", "exec", "simple_protocol"},
}

// postgresNumbers are parameters that are whole numbers from 0.
var postgresNumbers = map[string]string{
	"connect_timeout":            "write seconds, as connect_timeout=5",
	"statement_cache_capacity":   "write how many, as statement_cache_capacity=512",
	"description_cache_capacity": "write how many, as description_cache_capacity=512",
}

// postgresURL reads the address of Postgres, as far as the programs read it
// before they ask the server. Like all in address.go it quotes nothing.
func postgresURL(text string) (Secret, *complaint) {
	const right = "postgres://10.0.0.7:5432/shop"
	s, c := secretURL(right, "postgres", "postgresql")(text)
	if c != nil {
		return s, c
	}
	u, err := url.Parse(text)
	if err != nil {
		return Secret{}, complain("not a URL").advise("write one as " + right)
	}
	for host := range strings.SplitSeq(u.Host, ",") {
		if _, port, ok := strings.Cut(host[strings.LastIndex(host, "]")+1:], ":"); ok && !isPort(port) {
			return Secret{}, complain("cannot be read").advise("write one as postgres://user:password@10.0.0.7:5432/shop")
		}
	}
	options := u.Query()
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if advice := postgresAdvice(name, options.Get(name)); advice != "" {
			return Secret{}, complain("%s: has no such value", name).advise(advice)
		}
	}
	return s, nil
}

// postgresAdvice is what to write for a parameter with a value that the client does
// not take; empty when it does.
func postgresAdvice(name, value string) string {
	if advice, number := postgresNumbers[name]; number {
		if _, err := strconv.ParseUint(value, 10, 31); err == nil {
			return ""
		}
		return advice
	}
	if values, known := postgresValues[name]; known && !slices.Contains(values, value) {
		last := len(values) - 1
		return "write " + strings.Join(values[:last], ", ") + " or " + values[last]
	}
	return ""
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}
