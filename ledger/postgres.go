package ledger

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

const (
	poolSize    = 16
	poolIdle    = 5 * time.Minute
	poolAge     = 30 * time.Minute
	dialTimeout = 5 * time.Second
)

// OpenPostgres opens the books at a postgres:// address. It does not wait for
// the server: the first statement does.
//
// It works through a PgBouncer that pools transactions: no statement stays
// prepared between transactions, and no advisory lock, LISTEN or SET is used.
// An address that sets default_query_exec_mode itself is taken at its word.
func OpenPostgres(url configs.Secret) (*Books, error) {
	config, err := pgx.ParseConfig(url.Reveal())
	if err != nil {
		// The cause may quote the address, and with it the password.
		return nil, errors.New("open postgres: the address cannot be read; right would be postgres://user:password@host:5432/database")
	}
	if !strings.Contains(url.Reveal(), "default_query_exec_mode") {
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = dialTimeout
	}
	db := stdlib.OpenDB(*config)
	bound(db)
	return &Books{db: db, dialect: postgres}, nil
}

func bound(db *sql.DB) {
	db.SetMaxOpenConns(poolSize)
	db.SetMaxIdleConns(poolSize)
	db.SetConnMaxIdleTime(poolIdle)
	db.SetConnMaxLifetime(poolAge)
}

var postgres = dialect{
	name: "postgres",
	words: strings.NewReplacer(
		"{now}", "now()",
		"{epoch}", "timestamptz 'epoch'",
		"{ms}", "interval '1 millisecond'",
		"{lock}", "FOR UPDATE",
		"{skip}", "FOR UPDATE SKIP LOCKED",
		"{ids}", "(SELECT id::uuid FROM jsonb_array_elements_text($1::jsonb) AS id)",
		"{winners}", "unnest($2::uuid[], $3::text[], $4::text[], $5::integer[], $6::bigint[]) AS w(reservation, account, ticket, qty, hold)",
	),
	winners: columnsOf,
	blame:   blamePostgres,
}

// columnsOf are winners column by column. Their reservations are UUIDs, see
// faultOf.
func columnsOf(ws []gate.Winner) []any {
	ids, accounts, tickets := make([][16]byte, len(ws)), make([]string, len(ws)), make([]string, len(ws))
	units, holds := make([]int32, len(ws)), make([]int64, len(ws))
	for i, w := range ws {
		ids[i], _ = uuid.Parse(w.Reservation)
		accounts[i], tickets[i], units[i], holds[i] = w.Account, w.Ticket, int32(w.Qty), w.Hold.Milliseconds()
	}
	return []any{ids, accounts, tickets, units, holds}
}

// blamePostgres goes by SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html
func blamePostgres(err error) blame {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return trouble
	}
	switch {
	case pg.Code == "40001", pg.Code == "40P01", // serialization, deadlock
		pg.Code == "23505": // every insert says what to do on conflict, so this is a race
		return clash
	case fmt.Sprintf("%.2s", pg.Code) == "21", fmt.Sprintf("%.2s", pg.Code) == "22",
		fmt.Sprintf("%.2s", pg.Code) == "23", fmt.Sprintf("%.2s", pg.Code) == "54":
		return content
	case pg.Code == "57014": // a statement_timeout, most likely
		return tooMuch
	default:
		return trouble
	}
}
