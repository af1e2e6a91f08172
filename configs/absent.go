package configs

import (
	"fmt"
	"os"
)

// Absent gives the certificates that tls.files names and that cannot be read.
// Load does not look: a file may be written and watched where certificates come
// later, or are on another machine.
func (c *Config) Absent() Faults {
	var faults Faults
	for i, pair := range c.TLS.Files {
		for _, part := range []struct{ key, file string }{{"cert", pair.Cert}, {"key", pair.Key}} {
			if err := readable(part.file); err != nil {
				key := fmt.Sprintf("tls.files[%d].%s", i, part.key)
				faults = append(faults, c.src.fault(key, part.file+" cannot be read: "+cause(err), "put it there or name another"))
			}
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
