package cache

import (
	"errors"
	"net/http"
)

// ErrCrowded is for the next transport to say that it did not ask the origin, for
// there are too many. What is kept is shown then, also when it is stale, unless it
// says that it must not be.
var ErrCrowded = errors.New("the origin is not asked now")

// forMany marks requests whose answers could be kept so far.
type forMany struct{}

// ForMany reports whether a request that reaches the next transport brings what many
// are waiting for, or will ask for, most likely.
func ForMany(r *http.Request) bool { return r.Context().Value(forMany{}) != nil }
