package proxy

import (
	"errors"
	"net/http"

	"github.com/waitroom/waitroom/static"
)

// slowedDown is the decision on who asks more often than a limit allows.
const slowedDown = "slow_down"

// soldOut is the no that costs nothing: from memory, for everybody alike.
func (v *visit) soldOut() answer {
	if v.board.state == stateSoldOut {
		return v.problem(http.StatusConflict, "sold_out", static.SoldOut)
	}
	a := v.problem(http.StatusConflict, "sold_out", static.AllHeld)
	a.view.Refresh = spread(pausePoll) // one may come back
	return a
}

func (v *visit) paused() answer {
	a := problem(http.StatusServiceUnavailable, "paused", static.Paused)
	a.retry = spread(pausePoll) // or everybody would be back at once
	return v.about(a)
}

// unanswered is paused where a call to the stores failed: nothing is known, so nothing
// that the shopper has is given up.
func (v *visit) unanswered(call string, err error) answer {
	v.house.warn(call, v.door, err)
	return v.paused()
}

func slowDown(over excess) answer {
	a := problem(http.StatusTooManyRequests, slowedDown, static.SlowDown)
	a.reason, a.retry = over.limit, spread(over.retry)
	return a
}

func badRequest(err error) answer {
	if errors.Is(err, errTooLarge) {
		return problem(http.StatusRequestEntityTooLarge, "too_large", static.BadRequest)
	}
	a := problem(http.StatusBadRequest, "bad_request", static.BadRequest)
	if errors.Is(err, errNotRead) {
		a.status = http.StatusUnsupportedMediaType
	}
	a.body = struct {
		Status string `json:"status"`
		Error  string `json:"error"`
	}{"bad_request", err.Error()}
	return a
}

func methodNotAllowed(allow string) answer {
	a := problem(http.StatusMethodNotAllowed, "method", static.BadRequest)
	a.allow = allow
	return a
}
