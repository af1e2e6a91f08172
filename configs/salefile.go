package configs

import (
	"slices"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// A saleFile is what one of marketing's files describes: a sale or, if it has
// the key room, a room. Neither is nil: one that could not be read is a sale
// that says nothing.
type saleFile struct {
	sale *Sale
	room *Room // nil: a sale
	doc  *document
}

// readSaleFile reads one file; of a repeating sale the run that is current at an
// instant. The document has the faults.
func readSaleFile(file string, now time.Time) saleFile {
	d, root := openDocument(file, nil, keysOf(saleRules()))
	d.alien = notOfSale
	if root == nil {
		s := defaultSale(file)
		s.src = d
		return saleFile{sale: s, doc: d}
	}
	if !hasKey(root, "room") {
		return saleFile{sale: decodeSale(value{d, "", root}, now), doc: d}
	}
	d.keys, d.alien = keysOf(roomRules()), notOfRoom
	return saleFile{room: decodeRoom(value{d, "", root}), doc: d}
}

// hasKey reports whether a group has a key, however the file writes it.
func hasKey(group ast.Node, name string) bool {
	mapping, ok := group.(*ast.MappingNode)
	return ok && slices.ContainsFunc(mapping.Values, func(entry *ast.MappingValueNode) bool {
		key, c := keyOf(entry.Key)
		return c == nil && key == name
	})
}

// LoadSale reads a sale file alone, as Load does. It knows nothing of the other
// sales and rooms that this one might collide with.
func LoadSale(file string, now time.Time) (*Sale, error) {
	f := readSaleFile(file, now)
	if f.room != nil {
		f.doc.blame("room", "this is a room, not a sale", "leave it out, or read the file as a room's")
	}
	if err := f.doc.finish().err(); err != nil {
		return nil, err
	}
	return f.sale, nil
}

// LoadRoom is LoadSale for the file of a room.
func LoadRoom(file string) (*Room, error) {
	f := readSaleFile(file, time.Time{})
	if f.room == nil && len(f.doc.faults) == 0 {
		f.doc.blame("room", "missing", "write the path that the room stands before, as /shop")
	}
	if err := f.doc.finish().err(); err != nil {
		return nil, err
	}
	return f.room, nil
}
