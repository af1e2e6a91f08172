package testserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// superuser is the role that owns every cluster, whoever runs it.
const superuser = "postgres"

// template is what initdb made, once a process; clusters are copies of it.
type template struct {
	bin  string // directory of the version's programs
	dir  string
	cred *syscall.Credential
}

var theTemplate = sync.OnceValues(newTemplate)

func newTemplate() (*template, error) {
	initdb, err := binary("initdb")
	if err != nil {
		return nil, err
	}
	// A link on the PATH does not say where the version's other programs are.
	if initdb, err = filepath.EvalSymlinks(initdb); err != nil {
		return nil, fmt.Errorf("find initdb: %w", err)
	}
	cred, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := newDir("postgres-template-", cred)
	if err != nil {
		return nil, err
	}
	tmpl := &template{bin: filepath.Dir(initdb), dir: filepath.Join(dir, "data"), cred: cred}
	return tmpl, tmpl.run(dir, initdb, "--pgdata", tmpl.dir, "--username", superuser,
		"--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync")
}

// run runs a program to its end as the user of the clusters.
func (m *template) run(dir, path string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: m.cred}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("run %s: %w\n%s", path, err, tail(out))
	}
	return nil
}

// unprivileged returns the user that runs Postgres, which refuses to run as
// root: nil, so the user of the tests, unless that is root.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("find user for postgres: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("find user for postgres: %w", err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("find user for postgres: %w", err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// newDir makes a directory under the root that the reaper removes.
func newDir(prefix string, cred *syscall.Credential) (string, error) {
	r, err := theReaper()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(r.root, prefix)
	if err != nil {
		return "", fmt.Errorf("make directory: %w", err)
	}
	if cred != nil {
		err = os.Chown(dir, int(cred.Uid), int(cred.Gid))
	}
	return dir, err
}

// newCluster starts a fresh cluster with settings besides the usual ones and
// returns the URL of its first database.
func newCluster(settings ...string) (*process, string, error) {
	tmpl, err := theTemplate()
	if err != nil {
		return nil, "", err
	}
	dir, err := newDir("postgres-", tmpl.cred)
	if err != nil {
		return nil, "", err
	}
	data := filepath.Join(dir, "data")
	if err := tmpl.run(dir, "/bin/cp", "-Rp", tmpl.dir, data); err != nil {
		return nil, "", err
	}
	for try := 1; ; try++ {
		p, url, err := tmpl.start(dir, data, settings)
		if err == nil || !errors.Is(err, errEnded) || try == starts {
			return p, url, err
		}
	}
}

// start starts a server on a free port. It syncs nothing to the disk, unless a
// setting says so: a killed server keeps its commits, a crashed machine would not.
func (m *template) start(dir, data string, settings []string) (*process, string, error) {
	port, err := freePort()
	if err != nil {
		return nil, "", err
	}
	p := &process{path: filepath.Join(m.bin, "postgres"), dir: dir, cred: m.cred}
	p.args = []string{"-D", data, "-p", strconv.Itoa(port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=300",
		"-c", "shared_buffers=32MB", "-c", "timezone=UTC",
		"-c", "dynamic_shared_memory_type=mmap", // in data, so that a kill leaks none
	}
	for _, s := range settings { // the last one of a name counts
		p.args = append(p.args, "-c", s)
	}
	p.ready = func(pid int) bool {
		// The file of a killed server says ready too, under the old pid.
		file, _ := os.ReadFile(filepath.Join(data, "postmaster.pid"))
		return bytes.HasPrefix(file, fmt.Appendf(nil, "%d\n", pid)) &&
			bytes.HasSuffix(bytes.TrimSpace(file), []byte("ready"))
	}
	if err := p.start(); err != nil {
		return nil, "", err
	}
	return p, fmt.Sprintf("postgres://%s@127.0.0.1:%d/postgres?sslmode=disable", superuser, port), nil
}

// inDatabase returns the URL of another database of the same cluster.
func inDatabase(cluster, name string) (string, error) {
	u, err := url.Parse(cluster)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}

// execute runs one statement on a connection of its own.
func execute(url, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("execute %q: %w", statement, err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("execute %q: %w", statement, err)
	}
	return nil
}
