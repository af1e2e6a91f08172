package cachetests

// noCount is why nobody passes some: of an answer that a cache makes itself, since
// the origin hung up, the suite asks how many requests the origin had counted, and
// takes a missing count for a stored answer.
const noCount = "the suite takes the 502 for a stored answer, because it lacks a field that only the origin could have set: no cache passes"

const setsCookie = "an answer that sets a cookie is for one visitor, whatever else it says, and is never kept"

// Excused says why a required behaviour does not pass. It is the whole list: what
// is here and passes, needs no excuse. None may be [Behaviour.Unsafe].
var Excused = map[string]string{
	"age-parse-prefix": "the suite has `Age: 0,7200` mean 0, and in `age-parse-dup-0` has `Age: 0, 0` mean nothing. " +
		"Here every `Age` that is not one whole number means that the answer is old",
	"headers-store-Set-Cookie":            setsCookie,
	"304-etag-update-response-Set-Cookie": setsCookie,
	"headers-store-Transfer-Encoding":     "the origin names a coding that there is not, so that nobody knows where its answer ends: it becomes a 502",
	"status-400-stale": "it builds on `status-400-fresh`: an answer about the request that it answers is for nobody else, " +
		"whatever it says, or one client's bad request would be shown to all",
	"stale-close-must-revalidate":  noCount,
	"stale-close-proxy-revalidate": noCount,
	"stale-close-no-cache":         noCount,
	"stale-close-s-maxage=2":       noCount,
}
