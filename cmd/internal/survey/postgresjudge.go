package survey

import (
	"cmp"
	"slices"
	"strings"
)

// oldestPostgres is the oldest major version that has all that the books use.
const oldestPostgres = 12

// judgePostgres is pure: facts in, words out, faults first.
func judgePostgres(f postgresFacts) []Finding {
	about := findings{store: "postgres"}
	if f.err != nil {
		about.add(Fault, "does not answer: %s: look at postgres.url, and whether Postgres runs", oneLine(f.err))
		return about.all
	}
	if f.number < oldestPostgres*10000 {
		about.add(Fault, "version %s is too old: use Postgres %d or newer", f.version, oldestPostgres)
	}
	switch {
	case f.standby:
		about.add(Fault, "is a standby and takes no writes: name the primary in postgres.url")
	case f.readOnly:
		about.add(Fault, "takes no writes (default_transaction_read_only is on): switch that off for this role and database")
	}
	judgeCommit(&about, f)
	if f.encoding != "UTF8" {
		about.add(Warning, "the database is encoded in %s: accounts with other characters cannot be written: use one in UTF8", f.encoding)
	}
	judgeRights(&about, f)
	slices.SortStableFunc(about.all, func(a, b Finding) int { return cmp.Compare(b.Level, a.Level) })
	return about.all
}

// judgeCommit is about whether what was committed is there after a crash. A
// winner leaves Redis once its order is committed: then it is nowhere else.
func judgeCommit(about *findings, f postgresFacts) {
	if f.synchronous == "off" {
		about.add(Fault, "synchronous_commit is off: a crash forgets orders and payments that were confirmed: set it to on, for this role at least")
	}
	if !f.fsync {
		about.add(Fault, "fsync is off: a crash of the machine destroys the books: set it to on")
	}
}

// judgeRights is about the tables: those that are there must be ours to use, those
// that are not, ours to make.
func judgeRights(about *findings, f postgresFacts) {
	if f.schema == "" {
		about.add(Fault, "the role sees no schema (search_path): create one that it owns, as CREATE SCHEMA waitroom AUTHORIZATION its name")
		return
	}
	var absent, foreign []string
	for _, t := range f.tables {
		switch missing := missingRights(t); {
		case !t.there:
			absent = append(absent, t.name)
		case len(missing) > 0:
			about.add(Fault, "the role may not %s in %s: grant it, or make the role its owner", strings.Join(missing, ", "), t.name)
		case !t.ours:
			foreign = append(foreign, t.name)
		}
	}
	if len(absent) > 0 && !f.mayCreate {
		about.add(Fault, "the role may not make tables in schema %s, where %s would be: GRANT CREATE ON SCHEMA %s, or let another run orderworker once", f.schema, absent[0], f.schema)
	}
	if len(foreign) > 0 {
		about.add(Warning, "%s belong to another role: this one cannot bring them up to date with a newer version: make it their owner", strings.Join(foreign, ", "))
	}
}

func missingRights(t tableFacts) (missing []string) {
	for _, right := range []struct {
		name      string
		want, has bool
	}{
		{"SELECT", true, t.selects}, {"INSERT", true, t.inserts},
		{"UPDATE", updated[t.name], t.updates}, {"DELETE", emptied[t.name], t.deletes},
	} {
		if right.want && !right.has {
			missing = append(missing, right.name)
		}
	}
	return missing
}
