package configs

import (
	"crypto/sha256"
	"slices"
	"time"
)

// LoadSales reads the sales and rooms that a file names, as Load does, or those of one of
// marketing's files itself, and of an operator's file nothing else: who plans sales has no
// secrets. What is in order is given beside the [Faults] of what is not.
func LoadSales(file string, now time.Time) ([]Sale, []Room, error) {
	if IsSaleFile(file) {
		sale, room, err := LoadSaleFile(file, now)
		switch {
		case err != nil:
			return nil, nil, err
		case room != nil:
			return nil, []Room{*room}, nil
		}
		return []Sale{*sale}, nil, nil
	}
	d, root := openDocument(file, nil, keysOf(operatorRules()))
	if root == nil {
		return nil, nil, d.finish().err()
	}
	o := operator{Config: *defaultConfig(file)}
	o.src = d
	sales := under(root, "sales")
	if sales == nil {
		d.blameFile("names no sales", `list their files, as sales: ["sales/*.yaml"]`)
		return nil, nil, d.finish().err()
	}
	o.globs = value{doc: d, key: "sales", node: sales}.list(`["sales/*.yaml"]`)
	faults := readSales(&o, sha256.New(), now)
	whole := slices.DeleteFunc(o.Sales, func(s Sale) bool { return s.Key == "" })
	inOrder(whole)
	return whole, o.Rooms, append(d.finish(), faults...).err()
}
