package configs

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
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
	u, _ := url.Parse(text) // as secretURL did
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
	if err := readableRedis(text); err != nil {
		return Secret{}, redisComplaint(err, strings.HasSuffix(u.Scheme, "-sentinel"), strings.HasSuffix(u.Scheme, "-cluster"))
	}
	return s, nil
}

// readableRedis lets the client read an address, as the programs will. The part of
// the scheme behind the dash is ours.
func readableRedis(text string) (err error) {
	scheme, rest, _ := strings.Cut(text, "://")
	plain, topology, _ := strings.Cut(scheme, "-")
	switch topology {
	case "cluster":
		_, err = redis.ParseClusterURL(plain + "://" + rest)
	case "sentinel":
		_, err = redis.ParseFailoverURL(plain + "://" + rest)
	default:
		_, err = redis.ParseURL(text)
	}
	return err
}

// redisValue is what the client says of a parameter with a value of another kind.
var redisValue = regexp.MustCompile(`invalid ([a-z_]+) (number|duration|boolean)`)

// redisComplaint is in our words, and without values, what the client says.
func redisComplaint(err error, sentinel, cluster bool) *complaint {
	said := err.Error()
	if _, names, ok := strings.Cut(said, "unexpected option: "); ok {
		return redisUnknown(names, sentinel, cluster)
	}
	if v := redisValue.FindStringSubmatch(said); v != nil && v[1] != "database" {
		return complain("%s: not a %s", v[1], v[2]).
			advise("write one, as " + map[string]string{"number": "64", "duration": "3s", "boolean": "true"}[v[2]])
	}
	switch {
	case strings.Contains(said, "database number"), strings.Contains(said, "URL path"):
		return complain("what stands behind the host is not a database's number").advise("write one from 0, as /0")
	case strings.Contains(said, "addr param"):
		return complain("addr: not a host with a port").advise("write it as addr=10.0.0.7:6379")
	case strings.Contains(said, "socket path"):
		return complain("the path of the socket is missing").advise("write it as unix:///run/redis.sock")
	}
	return complain("cannot be read").advise("write one as redis://10.0.0.6:6379")
}

// redisUnknown is about parameters that there are not, by their names.
func redisUnknown(names string, sentinel, cluster bool) *complaint {
	known := []string{"client_name", "pool_size"}
	switch {
	case sentinel:
		known = append(known, "addr", "master_name", "username", "password", "db")
	case cluster:
		known = append(known, "addr")
	default:
		known = append(known, "db")
	}
	first, _, _ := strings.Cut(names, ", ")
	if !sentinel && slices.Contains([]string{"addr", "master_name", "username", "password"}, first) {
		return complain("%s: no parameter of this kind of address", first).
			advise("write redis-sentinel:// for Sentinels, redis-cluster:// for a Cluster")
	}
	c := complain("%s: there is no such parameter", names)
	if meant, ok := Nearest(first, known); ok {
		return c.advise("did you mean " + meant + "?")
	}
	return c.advise("leave it out")
}
