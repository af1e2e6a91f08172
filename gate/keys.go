package gate

// keys are the names of one bucket's keys. They share a hash tag, so that one
// script may touch them all, also on a Cluster.
type keys struct {
	state    string // hash: lua/prelude.lua names its fields
	receipts string // hash: hold → receipt as JSON
	index    string // hash: lua/prelude.lua names its fields
	winners  string // stream
	notes    string // hash: reservation → what became of it
}

func keysOf(sale string, bucket int) keys {
	tag := "wr:{" + Tag(sale, bucket) + "}:"
	return keys{
		state:    tag + "state",
		receipts: tag + "receipts",
		index:    tag + "index",
		winners:  tag + "winners",
		notes:    tag + "notes",
	}
}

// all is the order in which every script of this package takes its keys.
func (k keys) all() []string {
	return []string{k.state, k.receipts, k.index, k.winners, k.notes}
}
