package survey

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/waitroom/waitroom/configs"
)

// postgresFacts are what a Postgres says about itself and about us in it.
type postgresFacts struct {
	version     string
	number      int // server_version_num
	standby     bool
	readOnly    bool // default_transaction_read_only
	synchronous string
	fsync       bool
	encoding    string
	schema      string // where our tables are, or will be; empty: nowhere
	mayCreate   bool   // tables, there
	tables      []tableFacts
	err         error // it did not answer
}

// tableFacts are what may be done to one of our tables.
type tableFacts struct {
	name                   string
	there                  bool
	selects, inserts, ours bool // ours: this role may change its columns
	updates, deletes       bool
}

// tables of the books. The journal takes no updates; of the others not each takes
// all.
var (
	tables  = []string{"sale_stock", "sale_orders", "refusals", "poison", "payments", "early_payments", "refunds", "gates", "journal"}
	updated = map[string]bool{"sale_stock": true, "sale_orders": true, "refusals": true, "payments": true, "refunds": true, "gates": true}
	emptied = map[string]bool{"sale_orders": true, "early_payments": true}
)

// postgresWait bounds the survey of a store.
const postgresWait = 5 * time.Second

// Postgres asks the server at a postgres:// address, also through a PgBouncer, on
// a connection of its own.
func Postgres(ctx context.Context, url configs.Secret) []Finding {
	ctx, cancel := context.WithTimeout(ctx, postgresWait)
	defer cancel()
	return judgePostgres(readPostgres(ctx, url))
}

func readPostgres(ctx context.Context, url configs.Secret) (f postgresFacts) {
	config, err := pgx.ParseConfig(url.Reveal())
	if err != nil {
		// The cause may quote the address, and with it the password.
		f.err = errors.New("the address cannot be read; right would be postgres://user:password@host:5432/database")
		return f
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec // nothing stays prepared
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		f.err = err
		return f
	}
	defer func() { _ = conn.Close(ctx) }()
	if f.err = readServer(ctx, conn, &f); f.err == nil {
		f.tables, f.err = readTables(ctx, conn)
	}
	return f
}

func readServer(ctx context.Context, conn *pgx.Conn, f *postgresFacts) error {
	return conn.QueryRow(ctx, `SELECT current_setting('server_version'), current_setting('server_version_num')::int,
			pg_is_in_recovery(), current_setting('default_transaction_read_only')::bool,
			current_setting('synchronous_commit'), current_setting('fsync')::bool, current_setting('server_encoding'),
			coalesce(current_schema(), ''), coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)`).
		Scan(&f.version, &f.number, &f.standby, &f.readOnly, &f.synchronous, &f.fsync, &f.encoding, &f.schema, &f.mayCreate)
}

func readTables(ctx context.Context, conn *pgx.Conn) ([]tableFacts, error) {
	rows, err := conn.Query(ctx, `SELECT name, class IS NOT NULL,
			coalesce(has_table_privilege(class, 'SELECT'), false), coalesce(has_table_privilege(class, 'INSERT'), false),
			coalesce(has_table_privilege(class, 'UPDATE'), false), coalesce(has_table_privilege(class, 'DELETE'), false),
			coalesce((SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = class), false)
		FROM unnest($1::text[]) AS name, LATERAL (SELECT to_regclass(name) AS class) AS found`, tables)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (t tableFacts, err error) {
		err = row.Scan(&t.name, &t.there, &t.selects, &t.inserts, &t.updates, &t.deletes, &t.ours)
		return t, err
	})
}
