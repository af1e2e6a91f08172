package configs

import (
	"crypto/sha256"
	"hash"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Load reads the operator's file and every sale file that it names. Relative
// paths are read from the operator's file. env looks up the environment, as
// os.LookupEnv does. now decides which run of a repeating sale is the current
// one.
//
// If anything is wrong, the error is a [Faults] with all of it, of all files.
// Whether the certificates are there is not looked at, see [Config.Absent].
func Load(file string, env func(string) (string, bool), now time.Time) (*Config, error) {
	rules := operatorRules()
	digest := sha256.New()
	d, root := openDocument(file, recorded(env, digest), keysOf(rules))
	if root == nil {
		return nil, d.finish().err()
	}
	if ofSale(root) {
		d.blameFile("this is a sale's file or a room's", "name the operator's, which lists this one under sales")
		return nil, d.finish().err()
	}
	o := operator{Config: *defaultConfig(file)}
	o.src = d
	decode(value{doc: d, node: root}, &o, rules)
	operatorChecks(&o)
	faults := loadSales(&o, digest, now)
	faults = append(d.finish(), faults...)
	if len(faults) > 0 {
		return nil, faults.err()
	}
	c := o.Config
	digest.Write(d.contents())
	for key, file := range map[string]string{"tls.ca_root": c.TLS.CARoot, "origin.ca_root": c.Origin.CARoot} {
		root, _ := readWhole(file) // what is wrong with it, who uses it says
		d.saying[key] = digestOf(file + "\x00" + string(root))
	}
	for _, key := range []string{"tls.ca_root", "origin.ca_root"} {
		said := d.saying[key]
		digest.Write(said[:])
	}
	digest.Sum(c.same[:0])
	return &c, nil
}

// recorded makes what the environment answers part of a digest.
func recorded(env func(string) (string, bool), digest hash.Hash) func(string) (string, bool) {
	return func(name string) (string, bool) {
		held, ok := env(name)
		digest.Write([]byte(name + "=" + held + "\x00"))
		return held, ok
	}
}

// loadSales reads all sale files, in order of opening, and what they inherit.
func loadSales(o *operator, digest hash.Hash, now time.Time) Faults {
	faults := append(readSales(o, digest, now), saleNeeds(o)...)
	o.bequeath()
	return faults
}

// bequeath gives the sales and rooms what they inherit, and puts them in order.
func (o *operator) bequeath() {
	for i := range o.Sales {
		s := &o.Sales[i]
		s.house = o.src
		inherit(&s.Brand, &s.Languages, &o.Config)
	}
	for i := range o.Rooms {
		r := &o.Rooms[i]
		r.house = o.src
		inherit(&r.Brand, &r.Languages, &o.Config)
	}
	inOrder(o.Sales)
	slices.SortFunc(o.Rooms, func(a, b Room) int { return strings.Compare(a.ID, b.ID) })
}

// readSales reads all sale files into sales and rooms.
func readSales(o *operator, digest hash.Hash, now time.Time) Faults {
	var faults Faults
	o.saleFiles = saleFiles(o)
	for _, file := range o.saleFiles {
		f := readSaleFile(file, now)
		digest.Write(f.doc.contents())
		found := f.doc.finish()
		switch {
		case f.room != nil && (len(found) == 0 || f.room.ID != ""):
			o.Rooms = append(o.Rooms, *f.room)
		case f.sale != nil && (len(found) == 0 || f.sale.ID != ""):
			o.Sales = append(o.Sales, *f.sale)
		}
		faults = append(faults, found...)
	}
	return append(faults, collisions(o.Sales, o.Rooms)...)
}

func inOrder(sales []Sale) {
	slices.SortFunc(sales, func(a, b Sale) int {
		if c := a.Opens.Compare(b.Opens); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
}

// saleFiles is every file that the operator's globs match, once each. A
// pattern whose folder holds nothing yet is fine; a pattern that can never
// match is a fault.
func saleFiles(o *operator) []string {
	var files []string
	for _, item := range o.globs {
		pattern := beside(o.File, read(item, words(1024)))
		if pattern == "" {
			continue
		}
		if dirs, err := filepath.Glob(filepath.Dir(pattern)); err == nil {
			o.saleDirs = append(o.saleDirs, dirs...)
		}
		matches, err := filepath.Glob(pattern)
		switch {
		case err != nil:
			item.fault(complain("not a pattern").advise("write one as sales/*.yaml"))
		case len(matches) == 0 && !isFolder(filepath.Dir(pattern)) && !wild(filepath.Dir(pattern)):
			item.fault(complain("its folder does not exist").advise("make the folder or name another"))
		case len(matches) == 0 && !wild(pattern):
			item.fault(complain("the file does not exist").advise("make the file or name another"))
		}
		for _, file := range matches {
			switch {
			case strings.HasPrefix(filepath.Base(file), "."): // an editor's or Kubernetes' own
			case sameFile(file, o.File):
				item.fault(complain("matches the operator's file itself").advise("keep the sales in a folder of their own"))
			default:
				files = append(files, file)
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

func wild(pattern string) bool { return strings.ContainsAny(pattern, `*?[`) }

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func sameFile(a, b string) bool {
	first, errA := os.Stat(a)
	second, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(first, second)
}
