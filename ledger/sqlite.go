package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/waitroom/waitroom/gate"
)

// OpenSQLite opens the books in dir/ledger.db and makes both if they are not
// there. One connection writes and reads: transactions come one after another.
// What was committed is on disk.
func OpenSQLite(ctx context.Context, dir string) (*Books, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open sqlite: %w", err)
	}
	file := filepath.Join(dir, "ledger.db")
	options := url.Values{
		"_txlock": {"immediate"}, // take the write lock first: no deadlock on upgrade
		"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)"},
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: file}).EscapedPath()+"?"+options.Encode())
	if err != nil {
		return nil, fmt.Errorf("open sqlite: %w", err)
	}
	db.SetMaxOpenConns(1)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", file, err), db.Close())
	}
	return &Books{db: db, dialect: sqlite3}, nil
}

// embedded reports whether these are the books of a program that is alone: its
// gates live in its memory.
func (b *Books) embedded() bool { return b.dialect.name == sqlite3.name }

var sqlite3 = dialect{
	name: "sqlite3",
	words: strings.NewReplacer(
		"{now}", "CAST(unixepoch('subsec') * 1000 AS integer)",
		"{epoch}", "0",
		"{ms}", "1",
		"{lock}", "", // one writer: nothing to lock
		"{skip}", "",
		"{ids}", "(SELECT value FROM json_each($1))",
		"{winners}", `(SELECT value->>'reservation' AS reservation, value->>'account' AS account,
			value->>'ticket' AS ticket, value->>'qty' AS qty, value->>'hold' AS hold FROM json_each($2)) AS w`,
	),
	winners: func(ws []gate.Winner) []any { return []any{wireWinners(ws)} },
	blame:   blameSQLite,
}

// blameSQLite goes by result code: https://www.sqlite.org/rescode.html
func blameSQLite(err error) blame {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return trouble
	}
	switch code := e.Code(); {
	case code&0xff == lib.SQLITE_BUSY, code&0xff == lib.SQLITE_LOCKED,
		code == lib.SQLITE_CONSTRAINT_UNIQUE, code == lib.SQLITE_CONSTRAINT_PRIMARYKEY:
		return clash
	case code&0xff == lib.SQLITE_CONSTRAINT, code&0xff == lib.SQLITE_TOOBIG, code&0xff == lib.SQLITE_MISMATCH:
		return content
	case code&0xff == lib.SQLITE_INTERRUPT:
		return tooMuch
	default:
		return trouble
	}
}
