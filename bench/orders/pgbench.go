package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/waitroom/waitroom/internal/testserver"
)

// script is one order in one transaction. The stock row comes last, as it does in
// the worker, so that its lock is held as shortly as can be.
//
//go:embed order.sql
var script string

// pgbench writes orders of a sale of its own into the worker's tables.
type pgbench struct{ program, script, url string }

func newPgbench(ctx context.Context, owner testserver.Owner, url string) (*pgbench, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, `INSERT INTO sale_stock (sale, total) VALUES ('pgbench', 1000000000)`); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "waitroom-bench-")
	if err != nil {
		return nil, err
	}
	owner.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := &pgbench{testserver.Tool(owner, "pgbench"), filepath.Join(dir, "order.sql"), url}
	return p, os.WriteFile(p.script, []byte(script), 0o600)
}

// tps is pgbench's own figure.
var tps = regexp.MustCompile(`(?m)^tps = ([\d.]+)`)

// run returns how many orders a second so many clients write.
func (p *pgbench) run(ctx context.Context, clients int, d time.Duration) (float64, error) {
	cmd := exec.CommandContext(ctx, p.program, "--no-vacuum", "--protocol", "prepared", "--file", p.script,
		"--client", strconv.Itoa(clients), "--jobs", strconv.Itoa(min(clients, runtime.NumCPU())),
		"--time", strconv.Itoa(int(d.Seconds())), p.url)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("run pgbench: %w\n%s", err, out)
	}
	said := tps.FindSubmatch(out)
	if said == nil {
		return 0, fmt.Errorf("pgbench says no tps:\n%s", out)
	}
	return strconv.ParseFloat(string(said[1]), 64)
}
