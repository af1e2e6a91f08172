package configs

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

// redisSchemes are the ways to reach a Redis: one server, one server on this
// machine, the primary that Sentinels name, a Cluster; rediss is over TLS.
var redisSchemes = []string{
	"redis", "rediss", "unix", "redis-sentinel", "rediss-sentinel", "redis-cluster", "rediss-cluster",
}

// notRedisOptions are parameters that the client would take and that break what
// we promise: a replica tells what was, and a command that is sent again without
// our knowing is done twice.
var notRedisOptions = map[string]string{
	"read_only":                 "all is read from primaries",
	"replica_only":              "all is read from primaries",
	"route_by_latency":          "all is read from primaries",
	"route_randomly":            "all is read from primaries",
	"use_disconnected_replicas": "all is read from primaries",
	"max_retries":               "nothing is sent again by the client",
	"max_redirects":             "redirects are followed already",
}

// redisURL reads the address of Redis. Like all in address.go it quotes nothing.
func redisURL(text string) (Secret, *complaint) {
	const right = "redis://10.0.0.6:6379"
	s, c := secretURL(right, redisSchemes...)(text)
	if c != nil {
		return s, c
	}
	u, err := url.Parse(text)
	if err != nil {
		return Secret{}, complain("not a URL").advise("write one as " + right)
	}
	options := u.Query()
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if why, wrong := notRedisOptions[name]; wrong {
			return Secret{}, complain("%s: %s", name, why).advise("leave it out")
		}
	}
	if strings.HasSuffix(u.Scheme, "-sentinel") && options.Get("master_name") == "" {
		return Secret{}, complain("the name of the primary is missing").
			advise("write it as the Sentinels know it: ?master_name=shop")
	}
	return s, nil
}
