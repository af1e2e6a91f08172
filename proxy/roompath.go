package proxy

import (
	"net/url"
	"slices"
	"strings"

	"github.com/waitroom/waitroom/configs"
)

// roomPath is a room by its folded paths.
type roomPath struct {
	path   string
	except []string // what never queues there
	room   *configs.Room
}

// roomPaths are those of all rooms, the longest path first.
func roomPaths(rooms []configs.Room) []roomPath {
	paths := make([]roomPath, len(rooms))
	for i := range rooms {
		r := &rooms[i]
		paths[i] = roomPath{path: foldWritten(r.Path), room: r}
		for _, path := range r.Except {
			paths[i].except = append(paths[i].except, foldWritten(path))
		}
	}
	slices.SortFunc(paths, func(a, b roomPath) int { return len(b.path) - len(a.path) })
	return paths
}

// roomOf is the room that stands before a folded path: of rooms inside each
// other the innermost; nil if none does.
func (rt *routes) roomOf(p string) *roomPath {
	for i := range rt.rooms {
		if r := &rt.rooms[i]; within(p, r.path) {
			return r
		}
	}
	return nil
}

// excepts reports whether a folded path under the room is one that never queues.
func (r *roomPath) excepts(p string) bool {
	return slices.ContainsFunc(r.except, func(path string) bool { return within(p, path) })
}

// within reports whether a folded path is another or under it.
func within(p, path string) bool {
	return path == "/" || p == path || strings.HasPrefix(p, path+"/")
}

// isPlain reports whether every origin takes an escaped path for the one that it
// folds to: nothing in it is folded away but case, escapes of plain characters, a plus
// between others, and a slash at the end.
func isPlain(escaped, folded string) bool {
	once, err := url.PathUnescape(escaped)
	once = strings.ReplaceAll(once, "+", " ")
	return err == nil && foldCase(strings.TrimSuffix(once, "/")) == folded && !strings.Contains(strings.ToLower(escaped), "%2f")
}

// foldWritten folds a path as files write it, without escapes.
func foldWritten(path string) string { return foldPath((&url.URL{Path: path}).EscapedPath()) }
