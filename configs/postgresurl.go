package configs

import (
	"maps"
	"net/url"
	"slices"

	"github.com/jackc/pgx/v5"
)

// postgresFiles are parameters that name files, which need to be there where the
// books are opened: an edge reads the same address and opens none.
var postgresFiles = []string{"sslcert", "sslkey", "sslrootcert", "sslpassword", "servicefile", "passfile"}

// postgresURL reads the address of Postgres, as far as the programs read it
// before they ask the server. Like all in address.go it quotes nothing.
func postgresURL(text string) (Secret, *complaint) {
	const right = "postgres://10.0.0.7:5432/shop"
	s, c := secretURL(right, "postgres", "postgresql")(text)
	if c != nil {
		return s, c
	}
	u, err := url.Parse(text)
	if err != nil {
		return Secret{}, complain("not a URL").advise("write one as " + right)
	}
	options := u.Query()
	for _, name := range postgresFiles {
		options.Del(name)
	}
	if readablePostgres(u, options) {
		return s, nil
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		rest := maps.Clone(options)
		delete(rest, name)
		if readablePostgres(u, rest) {
			return Secret{}, complain("%s: has no such value", name).advise(postgresAdvice(name))
		}
	}
	return Secret{}, complain("cannot be read").advise("write one as postgres://user:password@10.0.0.7:5432/shop")
}

func readablePostgres(u *url.URL, options url.Values) bool {
	one := *u
	one.RawQuery = options.Encode()
	_, err := pgx.ParseConfig(one.String())
	return err == nil
}

// postgresAdvice is what to write for a parameter.
func postgresAdvice(name string) string {
	switch name {
	case "sslmode":
		return "write disable, allow, prefer, require, verify-ca or verify-full"
	case "connect_timeout":
		return "write seconds, as connect_timeout=5"
	}
	return "write one that libpq knows, or leave it out"
}
