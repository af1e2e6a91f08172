package places

// calm follows how many times slower than usual the origin is with hardly anybody
// there, for all routes together: what is usual is known for each of them alone, and
// is slow to follow.
type calm struct {
	spent float64 // seconds that requests spent there, those of long ago less and less
	work  float64 // seconds that the answers to them usually take
}

const calmFirst = 0.1 // seconds of work as which it counts that all is as usual, at first

func newCalm() calm { return calm{spent: calmFirst, work: calmFirst} }

// factor is how many times slower.
func (c *calm) factor() float64 { return c.spent / c.work }

func (c *calm) there(spent float64) { c.spent += spent }

// leaveOut takes it that a time that was spent shows nothing.
func (c *calm) leaveOut(spent float64) { c.work += spent / c.factor() }

// answer notes an answer that usually takes so long, of few at once.
func (c *calm) answer(usually float64, few int) {
	c.work += usually
	keep := 1 - 1/float64(4*few)
	c.spent *= keep
	c.work *= keep
}

// faster is for an origin that is so many times slower than was thought, less than
// one, with more there than few.
func (c *calm) faster(times float64) { c.spent *= times }
