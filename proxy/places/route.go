package places

import "time"

// manyRoutes is how many routes are told apart. Those that share a cell are taken
// for one, which makes its times vary more and costs nothing else.
const manyRoutes = 512

// longFrom on a route is taken for one that waits rather than works when it usually takes
// so long: a long poll. It says nothing about how busy the origin is. That is told also
// under a crowd: where long polls hold all places, hardly anybody there is not seen.
const longFrom = 2 * time.Second

// Route is a kind of request: those that are as much work as each other.
type Route uint16

// RouteOf sorts a request by its method and by the names in its path: what has
// digits or hyphens in it is taken for one of many of a kind.
func RouteOf(method, path string) Route {
	const offset, prime = 2166136261, 16777619 // FNV-1a
	h := uint32(offset)
	add := func(s string) {
		for i := range len(s) {
			h = (h ^ uint32(s[i])) * prime
		}
	}
	add(method)
	for segments := 0; path != "" && segments < 3; segments++ {
		var segment string
		segment, path = firstSegment(path)
		if segment == "" {
			break
		}
		if isName(segment) {
			add("/")
			add(segment)
		} else {
			add("*")
		}
	}
	return Route((h ^ h>>16) % manyRoutes)
}

func firstSegment(path string) (segment, rest string) {
	begin := 0
	for begin < len(path) && path[begin] == '/' {
		begin++
	}
	end := begin
	for end < len(path) && path[end] != '/' {
		end++
	}
	return path[begin:end], path[end:]
}

// isName reports whether a segment is one that a shop wrote into its code.
func isName(segment string) bool {
	for i := range len(segment) {
		c := segment[i] | 0x20
		if (c < 'a' || c > 'z') && segment[i] != '.' && segment[i] != '_' {
			return false
		}
	}
	return len(segment) <= 24
}

const (
	usualOf  = 20  // answers of a route show what is usual there
	firstOf  = 5   // of them count even where there is a crowd
	longOf   = 3   // of them show that it is long
	mostSlow = 8.0 // an answer counts as no more times slower than is usual
	tookStep = 0.05
)

// usual is how long the origin takes for a route when hardly anybody is there.
type usual struct {
	took float64 // seconds
	seen int     // answers, up to enough
}

func (u *usual) isKnown() bool { return u.seen > 0 }
func (u *usual) isLong() bool  { return u.seen >= longOf && u.took >= longFrom.Seconds() }

// learn takes a time into account that was taken, or would have been, while hardly
// anybody was there: of the first few the mean, and later ones by little each.
func (u *usual) learn(took float64) {
	if u.isKnown() {
		took = min(took, u.took*mostSlow)
	}
	u.seen = min(u.seen+1, usualOf)
	u.took += (took - u.took) / float64(u.seen)
}
