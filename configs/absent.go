package configs

import (
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"strings"
)

const isThere = "put it there or name another"

// Absent gives the files that tls.files, tls.ca_root and origin.ca_root name and
// that cannot be read, or do not hold what they are named for. Load does not look: a file may be
// written and watched where certificates come later, or are on another machine.
func (c *Config) Absent() Faults {
	var faults Faults
	blame := func(key, wrong, right string) { faults = append(faults, c.src.fault(key, wrong, right)) }
	for i, pair := range c.TLS.Files {
		faults = append(faults, c.unfit(fmt.Sprintf("tls.files[%d]", i), pair)...)
	}
	for _, root := range []struct{ key, file string }{{"tls.ca_root", c.TLS.CARoot}, {"origin.ca_root", c.Origin.CARoot}} {
		if _, err := ReadRoots(root.key, root.file); errors.Is(err, errNoRoot) {
			blame(root.key, root.file+" holds no certificate", aPEM)
		} else if err != nil {
			blame(root.key, root.file+" cannot be read: "+cause(err), isThere)
		}
	}
	return faults
}

// unfit says why a pair of files cannot be served.
func (c *Config) unfit(key string, pair Certificate) (faults Faults) {
	var text [2][]byte
	for i, part := range []struct{ key, file string }{{"cert", pair.Cert}, {"key", pair.Key}} {
		var err error
		if text[i], err = readPEM(part.file); err != nil {
			faults = append(faults, c.src.fault(key+"."+part.key, part.file+" cannot be read: "+cause(err), isThere))
		}
	}
	if len(faults) > 0 {
		return faults
	}
	if _, err := tls.X509KeyPair(text[0], text[1]); err != nil {
		wrong := fmt.Sprintf("%s and %s cannot be served: %s", pair.Cert, pair.Key, strings.TrimPrefix(err.Error(), "tls: "))
		return Faults{c.src.fault(key+".cert", wrong, "name the PEM file of a chain, its own certificate first, and the one of its key")}
	}
	return nil
}

// mostPEM is in bytes: far beyond any chain.
const mostPEM = 1 << 20

// readPEM reads a whole file, of which nobody has to wait to be written to.
func readPEM(name string) ([]byte, error) {
	switch info, err := os.Stat(name); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size() > mostPEM:
		return nil, fmt.Errorf("larger than %d bytes", mostPEM)
	}
	return readWhole(name)
}
