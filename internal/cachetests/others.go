package cachetests

import (
	"os"

	"github.com/waitroom/waitroom/internal/testserver"
)

// places are where a cache listens and what it stands before.
type places struct{ Dir, Listen, Origin string }

// Nginx starts nginx as a shared cache, as its documentation advises: stale pages
// are renewed with their validators, one request at a time fills a page, and what
// an origin lets be served stale is renewed behind it. It serves nothing stale
// that no answer allowed, which its `proxy_cache_use_stale` would do.
func Nginx(t testserver.Owner, origin string) Cache {
	t.Helper()
	path, version := installed(t, "nginx", "-v")
	at := places{Dir: folder(t), Listen: testserver.FreeAddress(t), Origin: origin}
	start(t, testserver.Listens(at.Listen), path, "-e", "stderr", "-p", at.Dir, "-c", write(t, at.Dir, "nginx.conf", at))
	return Cache{Name: "nginx", Version: version, base: "http://" + at.Listen}
}

// Varnish starts Varnish with its built-in VCL. Of its parameters it gets the
// three that the suite's authors give it: by default it keeps for two minutes
// whatever says nothing of how long it is good.
func Varnish(t testserver.Owner, origin string) Cache {
	t.Helper()
	path, version := installed(t, "varnishd", "-V")
	at := places{Dir: folder(t), Listen: testserver.FreeAddress(t)}
	args := []string{"-F", "-n", at.Dir + "/work", "-a", at.Listen, "-b", origin, "-s", "malloc,256m",
		"-p", "default_ttl=0", "-p", "default_grace=0", "-p", "default_keep=3600"}
	if os.Getuid() != 0 {
		args = append([]string{"-j", "none"}, args...)
	}
	start(t, testserver.Listens(at.Listen), path, args...)
	return Cache{Name: "Varnish", Version: version, base: "http://" + at.Listen}
}
