package testserver

import "github.com/redis/go-redis/v9"

// EdgeClient is a client of a Redis as an edge has it: what changes a line is
// never repeated by the library. It is closed with its owner.
func EdgeClient(t Owner, url string) *redis.Client {
	t.Helper()
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	o.MaxRetries, o.ContextTimeoutEnabled = -1, true
	rdb := redis.NewClient(o)
	t.Cleanup(func() { report(t, rdb.Close()) })
	return rdb
}
