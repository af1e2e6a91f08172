package ledger

import (
	"fmt"
	"strings"
	"time"

	"github.com/waitroom/waitroom/gate"
)

// dialect is all in which the two databases differ.
//
// The words in braces are: {now} the database's clock; {epoch} the beginning
// of Unix time; {ms} what a number of milliseconds is multiplied with to be added to either; {lock} and {skip} lock the
// rows that are read, {skip} passes over those that others have locked; {ids}
// the list in $1, a JSON array of texts; {winners} the rows in $2 and the
// arguments behind it, as winners makes them.
type dialect struct {
	name    string
	words   *strings.Replacer
	winners func([]gate.Winner) []any
	blame   func(error) blame
}

// blame says what an error of the database asks for.
type blame int

const (
	trouble blame = iota // the database is away or unwell: ask again later
	clash                // thrown out because of others: run it again at once
	content              // these values can never be stored
	tooMuch              // it takes longer than the database allows: ask for less at once
)

// instant reads a point in time as either database writes it: a timestamp, or
// Unix milliseconds. NULL is the zero time.
type instant struct{ time.Time }

// Scan implements sql.Scanner.
func (i *instant) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		i.Time = time.Time{}
	case time.Time:
		i.Time = v
	case int64:
		i.Time = time.UnixMilli(v)
	default:
		return fmt.Errorf("scan instant: %T", v)
	}
	return nil
}
