package configs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pictures are the kinds of logo, by the ends of their names.
var pictures = []string{".svg", ".png", ".webp"}

// templateNames are the files that a folder of templates may hold.
var templateNames = []string{"page.html", "view.html", "page.css"}

// logo reads the picture that a key names.
func logo(v value) *BrandFile {
	name := read(v, words(1024))
	if name == "" {
		return nil
	}
	if strings.Contains(name, "://") {
		v.fault(complain("%q is an address", name).advise("save the picture beside this file, and write its file name"))
		return nil
	}
	if !slices.Contains(pictures, strings.ToLower(filepath.Ext(name))) {
		v.fault(complain("%q is not an SVG, PNG or WebP picture", name).advise("save it as one of these, SVG if you can, and write that name"))
		return nil
	}
	path := beside(v.doc.name, name)
	data, c := readBeside(path, maxLogo)
	v.keep(path, data)
	if c != nil {
		v.fault(c.suggest(path, name))
		return nil
	}
	return &BrandFile{Name: filepath.Base(path), Data: data}
}

// templates reads the folder that a key names.
func templates(v value) map[string]string {
	name := read(v, words(1024))
	if name == "" {
		return nil
	}
	folder := beside(v.doc.name, name)
	entries, err := os.ReadDir(folder)
	if err != nil {
		v.keep(filepath.Join(folder, templateNames[0]), nil) // so that its coming is seen
		v.fault(complain("%q is not a folder that can be read", name).advise("make it beside this file, with any of " + strings.Join(templateNames, ", ")))
		return nil
	}
	all := map[string]string{}
	for _, file := range entries {
		ext := filepath.Ext(file.Name())
		switch {
		case slices.Contains(templateNames, file.Name()):
		case ext == ".html" || ext == ".htm" || ext == ".css":
			v.fault(complain("%q is not one of the templates", filepath.Join(name, file.Name())).advise("the names are " + strings.Join(templateNames, ", ")))
			continue
		default:
			continue
		}
		path := filepath.Join(folder, file.Name())
		data, c := readBeside(path, maxTemplate)
		v.keep(path, data)
		if c != nil {
			v.fault(c)
			continue
		}
		all[file.Name()] = string(data)
	}
	if len(all) == 0 && !v.doc.faulted(v.key) {
		v.keep(filepath.Join(folder, templateNames[0]), nil)
		v.fault(complain("%q holds no template", name).advise("put any of " + strings.Join(templateNames, ", ") + " into it"))
	}
	return all
}

// readBeside reads a whole file of at most so many bytes.
func readBeside(path string, most int64) ([]byte, *complaint) {
	base := filepath.Base(path)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, complain("there is no file %q", base).advise("put it beside this file, or name another")
	case err != nil:
		return nil, complain("%q cannot be read: %s", base, cause(err)).advise("make it readable, or name another")
	case !info.Mode().IsRegular():
		return nil, complain("%q is not a file", base).advise("name a file")
	case info.Size() > most:
		return nil, complain("%q is %s large", base, kilobytes(info.Size())).advise("make it smaller than " + kilobytes(most))
	case info.Size() == 0:
		return nil, complain("%q is empty", base).advise("save it again")
	}
	data, err := readWhole(path)
	if err != nil {
		return nil, complain("%q cannot be read: %s", base, cause(err)).advise("make it readable, or name another")
	}
	return data, nil
}

func kilobytes(n int64) string { return fmt.Sprintf("%d KB", (n+1023)>>10) }

// suggest names the picture that lies there and may be meant.
func (c *complaint) suggest(path, name string) *complaint {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return c
	}
	for _, file := range entries {
		other := file.Name()
		if other != filepath.Base(name) && file.Type().IsRegular() && slices.Contains(pictures, strings.ToLower(filepath.Ext(other))) && distance(strings.ToLower(filepath.Base(name)), strings.ToLower(other)) < 4 {
			return c.advise(fmt.Sprintf("did you mean %q?", filepath.Join(filepath.Dir(name), other)))
		}
	}
	return c
}
