package certs

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
)

// files is the source of certificates that somebody else renews on disk.
type files struct {
	named   []configs.Certificate
	domains []string
	rhythm  rhythm
	log     *zap.Logger
	read    []pair // as served
	bare    []string
	said    string // the fault that was logged last
}

// newFiles reads the files; each fault names its file.
func newFiles(cfg *configs.Config, r rhythm, log *zap.Logger) (*files, *set, error) {
	f := &files{named: cfg.TLS.Files, domains: cfg.TLS.Domains, rhythm: r, log: log}
	pairs, err := readPairs(f.named)
	if err != nil {
		return nil, nil, err
	}
	s, bare, err := setOf(pairs, f.domains)
	if err != nil {
		return nil, nil, err
	}
	f.read, f.bare = pairs, bare
	return f, s, nil
}

// run reads the files anew when they have changed, until ctx is done. Folders are
// watched rather than files, so that one renamed over another shows, and a
// symbolic link that is swapped; where a file system tells nothing, they are read
// now and then. Pairs that do not fit, as one of which half is written, leave
// those in use in force.
func (f *files) run(ctx context.Context, show func(*set)) {
	f.tellBare(f.bare)
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		f.log.Warn("certificate files cannot be watched, reading them instead", zap.Duration("every", f.rhythm.patrol), zap.Error(err))
		watcher = &fsnotify.Watcher{} // nothing ever comes from it
	} else {
		defer func() { _ = watcher.Close() }()
	}
	patrol := time.NewTicker(f.rhythm.patrol)
	defer patrol.Stop()
	settled := time.NewTimer(0) // what changed before we watched
	defer settled.Stop()
	for {
		if err == nil {
			f.follow(watcher)
		}
		select {
		case <-ctx.Done():
			return
		case <-watcher.Events:
			settled.Reset(f.rhythm.settle)
			continue
		case lost := <-watcher.Errors:
			f.log.Warn("a change may have been missed, reading the certificates", zap.Error(lost))
		case <-patrol.C:
		case <-settled.C:
		}
		f.renew(show)
	}
}

// follow watches the folders in which the files and what they link to lie now.
func (f *files) follow(watcher *fsnotify.Watcher) {
	var dirs []string
	for _, pair := range f.named {
		for _, name := range []string{pair.Cert, pair.Key} {
			dirs = append(dirs, filepath.Dir(name))
			if target, err := filepath.EvalSymlinks(name); err == nil {
				dirs = append(dirs, filepath.Dir(target))
			}
		}
	}
	for _, old := range watcher.WatchList() {
		if !slices.Contains(dirs, old) {
			_ = watcher.Remove(old)
		}
	}
	for _, dir := range dirs {
		_ = watcher.Add(dir) // one that cannot be watched is read now and then
	}
}

// renew reads the files, and shows what they hold if that is new.
func (f *files) renew(show func(*set)) {
	pairs, err := readPairs(f.named)
	var s *set
	var bare []string
	if err == nil {
		if slices.EqualFunc(pairs, f.read, pair.same) {
			if f.said != "" {
				f.log.Info("certificates read again, they are those in use")
			}
			f.said = ""
			return
		}
		s, bare, err = setOf(pairs, f.domains)
	}
	if err != nil {
		if err.Error() != f.said {
			f.said = err.Error()
			f.log.Warn("certificates not read again, those in use are served on", zap.Error(err))
		}
		return
	}
	f.read, f.said = pairs, ""
	show(s)
	f.log.Info("certificates read again")
	f.tellBare(bare)
}

func (f *files) tellBare(bare []string) {
	for _, d := range bare {
		f.log.Warn("no certificate of tls.files is for a domain, the first one is served", zap.String("domain", d))
	}
}

func (*files) ready() error { return nil } // they were read
