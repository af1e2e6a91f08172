package configs

import "time"

// What the tests of the examples and of the documentation must know: every key
// that the decoder does.
var (
	OperatorKeys = keysOf(operatorRules())
	SaleKeys     = keysOf(saleRules())
	RoomKeys     = keysOf(roomRules())
)

// WithoutNotices makes a watcher live without the file system's notices, as on
// a system that gives none.
func (w *Watcher) WithoutNotices() *Watcher {
	w.open = func() (*folders, error) { return &folders{}, nil }
	return w
}

// Turned is a configuration with the runs that are current at an instant.
func Turned(c *Config, now time.Time) *Config {
	next, _ := c.turned(now)
	return next
}

// Folders are those that a watcher watches.
func (w *Watcher) Folders() []string { return w.folders() }
