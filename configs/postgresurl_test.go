package configs_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/waitroom/waitroom/configs"
)

// A configuration's address of Postgres is read as the client will read it.
func TestPostgresParameters_AreTheClients(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"10.0.0.7", "10.0.0.7:5432", "10.0.0.7:0", "10.0.0.7:99999", "[::1]:5432", "[::1]", "db", "a:5432,b:5433", "a,b:70000"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			readAsTheClient(t, "postgres://shop@"+host+"/shop")
		})
	}
	for _, query := range []string{
		"", "application_name=x", "search_path=shop", "odd=1",
		"sslmode=disable", "sslmode=allow", "sslmode=prefer", "sslmode=require", "sslmode=odd", "target_session_attrs=", "connect_timeout=", "statement_cache_capacity=",
		"target_session_attrs=any", "target_session_attrs=read-write", "target_session_attrs=read-only", "target_session_attrs=primary",
		"target_session_attrs=standby", "target_session_attrs=prefer-standby", "target_session_attrs=odd",
		"channel_binding=disable", "channel_binding=prefer", "channel_binding=require", "channel_binding=odd",
		"connect_timeout=5", "connect_timeout=0", "connect_timeout=x", "connect_timeout=-1", "connect_timeout=5s",
		"default_query_exec_mode=exec", "default_query_exec_mode=simple_protocol", "default_query_exec_mode=cache_statement",
		"default_query_exec_mode=cache_describe", "default_query_exec_mode=describe_exec", "default_query_exec_mode=odd",
		"statement_cache_capacity=0", "statement_cache_capacity=12", "statement_cache_capacity=x",
		"description_cache_capacity=12", "description_cache_capacity=x",
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			readAsTheClient(t, "postgres://shop@10.0.0.7:5432/shop?"+query)
		})
	}
}

func readAsTheClient(t *testing.T, address string) {
	t.Helper()
	_, want := pgx.ParseConfig(address)
	_, got := configs.Load(folder(t, strings.ReplaceAll(`
listen: {https: ":443"}
tls: {mode: internal}
origin: {url: http://127.0.0.1:8080}
redis: {url: redis://10.0.0.6:6379}
postgres: {url: "ADDRESS"}
secret: "0123456789abcdef0123456789abcdef"
sales: []
`, "ADDRESS", address), nil), environment, now)
	if said := got != nil && strings.Contains(got.Error(), "postgres.url"); said != (want != nil) {
		t.Errorf("got %v, the client says %v", got, want)
	}
}
