package configs

import (
	"errors"
	"fmt"
	"os"
)

const isThere = "put it there or name another"

// Absent gives the files that tls.files, tls.ca_root and origin.ca_root name and
// that cannot be read, or hold nobody who vouches. Load does not look: a file may be
// written and watched where certificates come later, or are on another machine.
func (c *Config) Absent() Faults {
	var faults Faults
	blame := func(key, wrong, right string) { faults = append(faults, c.src.fault(key, wrong, right)) }
	for i, pair := range c.TLS.Files {
		for _, part := range []struct{ key, file string }{{"cert", pair.Cert}, {"key", pair.Key}} {
			if err := readable(part.file); err != nil {
				blame(fmt.Sprintf("tls.files[%d].%s", i, part.key), part.file+" cannot be read: "+cause(err), isThere)
			}
		}
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

func readable(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	return f.Close()
}
