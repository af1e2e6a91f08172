package cachetests

import (
	"path/filepath"

	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/proxy/certs"
)

// us is what waitroom is called in reports.
const us = "waitroom"

// Waitroom starts a built `waitroom` as it would stand before a shop: over TLS,
// with a sale to come, its cache as it is by default. Only its limits and the
// bound of who is at the origin at once are off, for the whole suite comes from one
// address, all at a time.
func Waitroom(t testserver.Owner, program, origin string) Cache {
	t.Helper()
	dir := folder(t)
	at := struct{ Listen, Admin, Worker, Origin string }{
		testserver.FreeAddress(t), testserver.FreeAddress(t), testserver.FreeAddress(t), origin,
	}
	file := write(t, dir, "waitroom.yaml", at)
	write(t, dir, "golden-toy.yaml", at)
	start(t, testserver.Healthy(at.Admin), program, "run", "--config", file, "--linger", "0s")
	return Cache{Name: us, base: "https://" + at.Listen, ca: filepath.Join(dir, "data", certs.InternalCA)}
}
