package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/waitroom/waitroom/gate"
)

// What a winner may say at most: nothing that configs or an edge lets through is
// more. What is more is not of a gate's making.
const (
	longestName = 512    // bytes
	mostUnits   = 10_000 // also the most that configs allows as per_account
	longestHold = 31 * 24 * time.Hour
)

// faultOf says why no order can be made of a winner, or nil.
func faultOf(w gate.Winner) error {
	if w.Fault != nil {
		return w.Fault
	}
	if !isPlainUUID(w.Reservation) {
		return errors.New("the reservation is not a UUID in its plain form")
	}
	for _, f := range []struct{ name, value string }{{"account", w.Account}, {"ticket", w.Ticket}} {
		switch {
		case strings.ContainsRune(f.value, 0):
			return fmt.Errorf("the %s contains a NUL character", f.name)
		case !utf8.ValidString(f.value):
			return fmt.Errorf("the %s is not UTF-8", f.name)
		case len(f.value) > longestName:
			return fmt.Errorf("the %s is longer than %d bytes", f.name, longestName)
		}
	}
	switch {
	case w.Account == "":
		return errors.New("the account is missing")
	case w.Qty < 1 || w.Qty > mostUnits:
		return fmt.Errorf("the quantity is not within 1 and %d", mostUnits)
	case w.Hold <= 0 || w.Hold > longestHold:
		return errors.New("the hold is not within a millisecond and 31 days")
	}
	return nil
}

func isPlainUUID(s string) bool {
	id, err := uuid.Parse(s)
	return err == nil && id.String() == s
}

// wireWinner is a winner as SQLite's statements read it.
type wireWinner struct {
	Reservation string `json:"reservation"`
	Account     string `json:"account"`
	Ticket      string `json:"ticket"`
	Qty         int    `json:"qty"`
	Hold        int64  `json:"hold"` // milliseconds
}

func wireWinners(ws []gate.Winner) string {
	wire := make([]wireWinner, 0, len(ws))
	for _, w := range ws {
		wire = append(wire, wireWinner{w.Reservation, w.Account, w.Ticket, w.Qty, w.Hold.Milliseconds()})
	}
	text, _ := json.Marshal(wire) // texts and numbers always marshal
	return string(text)
}

func wireIDs(ids []string) string {
	text, _ := json.Marshal(append([]string{}, ids...))
	return string(text)
}
