package configs

import (
	"regexp"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// A saleFile is what one of marketing's files describes: a sale or, if it has
// the key room, a room. Exactly one of the two is nil: what could not be read is
// a sale that says nothing.
type saleFile struct {
	sale *Sale
	room *Room
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
		return saleFile{sale: decodeSale(value{doc: d, node: root}, now), doc: d}
	}
	d.keys, d.alien = keysOf(roomRules()), notOfRoom
	return saleFile{room: decodeRoom(value{doc: d, node: root}), doc: d}
}

// hasKey reports whether a group has a key, however the file writes it.
func hasKey(group ast.Node, name string) bool { return under(group, name) != nil }

// under is the value of a group's key; nil where there is none.
func under(group ast.Node, name string) ast.Node {
	mapping, ok := group.(*ast.MappingNode)
	if !ok {
		return nil
	}
	for _, entry := range mapping.Values {
		if key, c := keyOf(entry.Key); c == nil && key == name {
			return entry.Value
		}
	}
	return nil
}

// IsSaleFile reports whether a file is one of marketing's, a sale's or a room's,
// rather than an operator's: whether it has the key sale or room, or seems to where it
// cannot be understood.
func IsSaleFile(file string) bool {
	d, root := openDocument(file, nil, keysOf(saleRules()))
	return ofSale(root) || root == nil && d.seemsSale()
}

// seemsSale reports whether a file that cannot be read is one of marketing's, by the
// words that its lines begin with.
func (d *document) seemsSale() bool {
	sale, other, known := false, false, 0
	for _, line := range d.lines {
		if parts := keyed.FindStringSubmatch(line); parts != nil && d.knows(parts[2]) {
			known++
		}
		switch word := saleWord.FindStringSubmatch(line); {
		case word == nil:
		case word[1] == "sale" || word[1] == "room":
			sale = true
		default:
			other = true
		}
	}
	return sale && !other && known > 1
}

var saleWord = regexp.MustCompile(`^\s*(sale|room|sales|origin|tls|secret)\b\s*[:=：]?\s*[^\s\[]`)

// ofSale reports whether a file's keys are those of one of marketing's. A sale
// that is a list is the operator's sales, misspelt. One without its name is told by what
// else only a sale has.
func ofSale(root ast.Node) bool {
	_, list := under(root, "sale").(*ast.SequenceNode)
	count := func(keys ...string) (n int) {
		for _, key := range keys {
			if hasKey(root, key) {
				n++
			}
		}
		return n
	}
	return hasKey(root, "room") || hasKey(root, "sale") && !list ||
		count("stock", "opens", "product_page", "buy", "checkout", "admit", "per_account") > 2 && count("sales", "origin", "tls", "secret") == 0
}

// LoadSaleFile reads one of marketing's files alone, as Load does: a sale or, if
// the file has the key room, a room, and nil for the other one. It knows nothing
// of the other sales and rooms that this one might collide with.
func LoadSaleFile(file string, now time.Time) (*Sale, *Room, error) {
	f := readSaleFile(file, now)
	if err := f.doc.finish().err(); err != nil {
		return nil, nil, err
	}
	return f.sale, f.room, nil
}
