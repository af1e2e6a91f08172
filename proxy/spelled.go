package proxy

import (
	"path"
	"strings"
)

// Origins know a path by more names than one. Where a script answers for all paths its
// own name may stand in front, and where one answers for a path anything may stand
// behind its name (PATH_INFO, RFC 3875, 4.1.5); frameworks take a suffix for the form
// in which an answer is wanted.

// scripts are the suffixes of what web servers run.
var scripts = map[string]bool{
	".php": true, ".phtml": true, ".php5": true, ".php7": true, ".php8": true, ".cgi": true, ".fcgi": true, ".pl": true, ".py": true,
	".asp": true, ".aspx": true, ".ashx": true, ".cfm": true,
}

// forms are the suffixes by which a page is asked for in one form or another, beside
// those of scripts.
var forms = map[string]bool{
	".html": true, ".htm": true, ".xhtml": true, ".json": true, ".xml": true, ".js": true, ".jsp": true, ".jsf": true, ".do": true, ".action": true,
}

// files are the suffixes of what pages load: a room's name with one of them is a file
// beside it.
var files = map[string]bool{
	".css": true, ".js": true, ".mjs": true, ".map": true, ".png": true, ".jpg": true, ".jpeg": true, ".gif": true, ".svg": true, ".webp": true,
	".avif": true, ".ico": true, ".woff": true, ".woff2": true, ".mp4": true, ".webm": true, ".txt": true,
}

// buyNames are what a buy's folded path is called where names are looked up as names
// gives them: as it is, but for scripts on the way to it, and without a suffix that
// only says the form.
func buyNames(folded string) []string {
	name := withoutScripts(folded, false)
	if end := path.Ext(name); scripts[end] || forms[end] {
		return []string{name, strings.TrimSuffix(name, end)}
	}
	return []string{name}
}

// names are the paths for which an origin may take a folded one: it itself, without
// the scripts in it, what stands behind or in front of one, and each without a
// suffix.
func names(folded string) []string {
	all := []string{folded}
	if !strings.Contains(folded, ".") {
		return all
	}
	parts := strings.Split(folded, "/")
	first, last := -1, -1
	for i, p := range parts {
		if scripts[path.Ext(p)] {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first >= 0 {
		all = append(all, withoutScripts(folded, false), withoutScripts(folded, true))
		for _, i := range []int{first, last} { // servers part at the one or the other
			all = append(all, strings.Join(parts[:i+1], "/"), "/"+strings.Join(parts[i+1:], "/"))
		}
	}
	for _, name := range all {
		if short, ok := withoutSuffix(name); ok {
			all = append(all, short)
		}
	}
	return all
}

// withoutScripts leaves out the segments that are scripts, the last one only if it is
// told to.
func withoutScripts(folded string, lastToo bool) string {
	parts := strings.Split(strings.Trim(folded, "/"), "/")
	kept := parts[:0]
	for i, p := range parts {
		if !scripts[path.Ext(p)] || i == len(parts)-1 && !lastToo {
			kept = append(kept, p)
		}
	}
	return "/" + strings.Join(kept, "/")
}

// withoutSuffix is a path whose last segment has lost what stands behind its last dot,
// if that may be a form: a number is none.
func withoutSuffix(folded string) (string, bool) {
	end := path.Ext(folded)
	if len(end) < 2 || end[1] < 'a' || end[1] > 'z' || len(end) == len(path.Base(folded)) {
		return folded, false
	}
	return strings.TrimSuffix(folded, end), true
}

// spelledBuy is the path of the buy for which an origin may take one of the folded
// paths; empty: of none.
func (rt *routes) spelledBuy(readings []string) string {
	for _, folded := range readings {
		for _, name := range names(folded) {
			if buy := rt.byName[name]; buy != "" {
				return buy
			}
		}
	}
	return ""
}

// spelledRoom is the room in which an origin may take one of the folded paths to be:
// the innermost one. clear says that no other one comes into question.
func (rt *routes) spelledRoom(readings []string) (room *roomPath, clear bool) {
	clear = true
	for _, folded := range readings {
		beside := ""
		if end := path.Ext(folded); files[end] {
			beside = strings.TrimSuffix(folded, end) // what the path is a file beside of
		}
		for _, name := range names(folded) {
			if name == beside {
				continue
			}
			switch r := rt.roomOf(name); {
			case r == nil || r == room || room != nil && within(room.path, r.path):
			case room == nil || within(r.path, room.path):
				room = r
			default:
				clear = false
			}
		}
	}
	return room, clear
}
