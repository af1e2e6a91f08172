package configs

import (
	"path/filepath"
	"slices"

	"github.com/fsnotify/fsnotify"
)

// folders are watched rather than files: an editor that renames a new file over
// the old one, a symbolic link that Kubernetes swaps and a file that is new all
// show in the folder. What the folders' notices say is not used: the files are
// read again and compared.
type folders struct {
	notify *fsnotify.Watcher // nil where the system gives none
}

// folders lists where the files of the running configuration lie, what they name besides, and where
// the links among them lead.
func (w *Watcher) folders() []string {
	files := []string{w.file}
	dirs := append(slices.Clone(w.running.saleDirs), w.running.src.folders()...)
	for _, s := range w.running.Sales {
		files = append(files, s.File)
		dirs = append(dirs, s.src.folders()...)
	}
	for _, r := range w.running.Rooms {
		files = append(files, r.File)
		dirs = append(dirs, r.src.folders()...)
	}
	for _, file := range files {
		dirs = append(dirs, filepath.Dir(file))
		if target, err := filepath.EvalSymlinks(file); err == nil {
			dirs = append(dirs, filepath.Dir(target))
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

func (w *Watcher) openFolders() (*folders, error) {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return &folders{}, err
	}
	f := &folders{notify: notify}
	f.follow(w.folders())
	return f, nil
}

// follow watches exactly these folders. One that cannot be watched is looked
// at now and then like everything else.
func (f *folders) follow(dirs []string) {
	if f.notify == nil {
		return
	}
	for _, old := range f.notify.WatchList() {
		if !slices.Contains(dirs, old) {
			_ = f.notify.Remove(old)
		}
	}
	for _, dir := range dirs {
		_ = f.notify.Add(dir)
	}
}

// changed tells that something in a folder has; failed, that notices were lost.
func (f *folders) changed() <-chan fsnotify.Event {
	if f.notify == nil {
		return nil
	}
	return f.notify.Events
}

func (f *folders) failed() <-chan error {
	if f.notify == nil {
		return nil
	}
	return f.notify.Errors
}

func (f *folders) close() {
	if f.notify != nil {
		_ = f.notify.Close()
	}
}
