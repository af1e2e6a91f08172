package testserver

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// StartPgBouncer puts a PgBouncer before a Postgres, one that pools transactions
// on few connections, and returns its address for the same database. It ends with
// the test.
func StartPgBouncer(t Owner, behind string) string {
	t.Helper()
	u, err := url.Parse(behind)
	if err != nil {
		t.Fatal(err)
	}
	path, err := binary("pgbouncer")
	if err != nil {
		path = "/usr/sbin/pgbouncer" // where Debian has it, off the PATH of most
	}
	cred, err := unprivileged() // it refuses to run as root, as Postgres does
	if err != nil {
		t.Fatal(err)
	}
	dir, err := newDir("pgbouncer-", cred)
	if err != nil {
		t.Fatal(err)
	}
	for try := 1; ; try++ {
		p, port, err := startPgBouncer(path, dir, cred, u)
		if err == nil {
			t.Cleanup(func() {
				p.end(syscall.SIGKILL)
				report(t, os.RemoveAll(dir))
			})
			u.Host = fmt.Sprintf("127.0.0.1:%d", port)
			return u.String()
		}
		if !errors.Is(err, errEnded) || try == starts {
			t.Fatal(err)
		}
	}
}

func startPgBouncer(path, dir string, cred *syscall.Credential, behind *url.URL) (*process, int, error) {
	port, err := freePort()
	if err != nil {
		return nil, 0, err
	}
	password, _ := behind.User.Password()
	files := map[string]string{
		"users": fmt.Sprintf("%q %q\n", behind.User.Username(), password),
		"pgbouncer.ini": strings.Join([]string{
			"[databases]",
			fmt.Sprintf("* = host=%s port=%s", behind.Hostname(), behind.Port()),
			"[pgbouncer]",
			"listen_addr = 127.0.0.1", fmt.Sprintf("listen_port = %d", port), "unix_socket_dir =",
			"auth_type = trust", "auth_file = " + filepath.Join(dir, "users"),
			"pool_mode = transaction", "default_pool_size = 3", "",
		}, "\n"),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, 0, err
		}
	}
	listens := Listens(fmt.Sprintf("127.0.0.1:%d", port))
	p := &process{path: path, dir: dir, cred: cred, args: []string{"pgbouncer.ini"}, ready: func(int) bool { return listens() }}
	return p, port, p.start()
}
