package configs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Unread gives the files beside the sales that look like a sale's or a room's and that no
// pattern of sales matches, each with what to do: they are not read, and who wrote one
// would wait for its sale. Load does not look.
func (c *Config) Unread() Faults {
	var all Faults
	for _, dir := range slices.Compact(slices.Sorted(slices.Values(c.saleDirs))) {
		entries, _ := os.ReadDir(dir) // what cannot be read is not looked for
		for _, entry := range entries {
			name := filepath.Join(dir, entry.Name())
			ext := strings.ToLower(filepath.Ext(name))
			if !slices.Contains([]string{".yaml", ".yml", ".txt"}, ext) || strings.HasPrefix(entry.Name(), ".") ||
				slices.Contains(c.saleFiles, name) || sameFile(name, c.File) || !IsSaleFile(name) {
				continue
			}
			all = append(all, Fault{File: name, Wrong: "nobody reads it: " + filepath.Base(c.File) + " says under sales how such files are called, and this one is not",
				Right: fmt.Sprintf("rename it to %s.yaml", strings.TrimSuffix(stem(entry.Name()), "."))})
		}
	}
	return all
}

// stem is a file's name without the endings that programs put there.
func stem(name string) string {
	for _, end := range []string{".txt", ".yml", ".yaml"} {
		if cut := len(name) - len(end); cut > 0 && strings.EqualFold(name[cut:], end) {
			return stem(name[:cut])
		}
	}
	return name
}
