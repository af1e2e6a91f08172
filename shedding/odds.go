package shedding

// Word is what is said of a chance.
type Word string

// The words, of which each is true of the whole range in which the chance lies.
// Nothing better than uncertain is said in doubt.
const (
	Good           Word = "good"             // 4 in 5 or more, even if all is reckoned cautiously
	BetterThanEven Word = "better_than_even" // more than 1 in 2, even so
	Uncertain      Word = "uncertain"
	LessThanEven   Word = "less_than_even" // less than 1 in 2, even if all is reckoned hopefully
	Small          Word = "small"          // 1 in 10 at most, even so
)

// Odds are the words for every place of a line at one moment, by how many people
// are ahead of it. Where a word holds for nobody, its number is nil.
type Odds struct {
	Good           *uint64 `json:"good"`             // with so many ahead at most
	BetterThanEven *uint64 `json:"better_than_even"` // with so many ahead at most
	LessThanEven   *uint64 `json:"less_than_even"`   // with so many ahead, or more
	Small          *uint64 `json:"small"`            // with so many ahead, or more
}

// Word is the strongest that holds with so many people ahead.
func (o Odds) Word(ahead uint64) Word {
	upTo := func(n *uint64) bool { return n != nil && ahead <= *n }
	from := func(n *uint64) bool { return n != nil && ahead >= *n }
	switch {
	case upTo(o.Good):
		return Good
	case upTo(o.BetterThanEven):
		return BetterThanEven
	case from(o.Small):
		return Small
	case from(o.LessThanEven):
		return LessThanEven
	default:
		return Uncertain
	}
}
