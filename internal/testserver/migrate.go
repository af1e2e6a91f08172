package testserver

import (
	"fmt"
	"net"
)

// Migrate moves the slot of a key to another primary, as redis-cli --cluster
// reshard does it, while clients go on. Between the steps, of which the keys are
// one each, it calls step, which may wait: until the last key is moved, a script
// on them is asked to try again.
func (c *RedisCluster) Migrate(key string, to *RedisServer, step func()) {
	from, slot := c.Owner(key), c.slot(key)
	if from == nil || from == to {
		report(c.t, fmt.Errorf("migrate slot %d: it has no owner, or is there", slot))
		return
	}
	to.must("CLUSTER", "SETSLOT", slot, "IMPORTING", c.id(from))
	from.must("CLUSTER", "SETSLOT", slot, "MIGRATING", c.id(to))
	step()
	host, port, _ := net.SplitHostPort(to.Addr)
	for {
		keys, _ := from.must("CLUSTER", "GETKEYSINSLOT", slot, 1).([]any)
		if len(keys) == 0 {
			break
		}
		from.must("MIGRATE", host, port, keys[0], 0, 5000, "AUTH", nodePassword)
		step()
	}
	// First where it goes to, so that there is an owner at every moment.
	for _, n := range append([]*RedisServer{to, from}, c.Nodes...) {
		if n.role() == "master" {
			n.must("CLUSTER", "SETSLOT", slot, "NODE", c.id(to))
		}
	}
}
