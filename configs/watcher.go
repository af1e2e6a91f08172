package configs

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"
)

const (
	settle = 200 * time.Millisecond // an editor writes in several steps
	patrol = 10 * time.Second       // where the file system tells nothing, and for new folders
)

// A Watcher brings changes of the files into a running program. It delivers
// only valid configurations that respect what is frozen; on any fault, and when
// the program cannot take one, the running one stays in force and the reason is
// logged once. So is what the files say that is not in force (see Config.Under).
type Watcher struct {
	file    string
	env     func(string) (string, bool)
	log     *zap.Logger
	running *Config
	said    string // the reason that was logged last
	told    string // what was overruled, as logged last
	asked   chan struct{}
	force   chan []Terms // in force, as heard last
	open    func() (*folders, error)
}

// NewWatcher watches the files of a configuration that is in force.
func NewWatcher(file string, cfg *Config, env func(string) (string, bool), log *zap.Logger) *Watcher {
	w := &Watcher{file: file, env: env, log: log.Named("configs"), running: cfg,
		asked: make(chan struct{}, 1), force: make(chan []Terms, 1)}
	w.open = w.openFolders
	return w
}

// Reload asks for the files to be read again now, as SIGHUP does. Faults that
// were logged before are logged again. It does not wait.
func (w *Watcher) Reload() {
	select {
	case w.asked <- struct{}{}:
	default: // one is already on its way
	}
}

// Hold tells what is in force of the sales, whatever the files say: terms of at
// most one run of each. It does not wait. The same again changes nothing.
func (w *Watcher) Hold(terms []Terms) {
	for {
		select {
		case w.force <- terms:
			return
		default:
		}
		select {
		case <-w.force: // older
		default:
		}
	}
}

// Run watches until ctx is done and calls apply, never twice at a time, with
// every new configuration: when the files have changed, when Reload asks, and
// when a run of a repeating sale is over. One that apply fails to take is
// offered again at every look.
func (w *Watcher) Run(ctx context.Context, apply func(*Config) error) error {
	stirred, err := w.open()
	if err != nil {
		w.log.Warn("folders cannot be watched, looking at the files instead", zap.Duration("every", patrol), zap.Error(err))
	}
	defer stirred.close()
	ticker := time.NewTicker(patrol)
	defer ticker.Stop()
	settled := time.NewTimer(settle) // what changed between Load and now
	defer settled.Stop()
	boundary := time.NewTimer(time.Until(w.boundary(time.Now())))
	defer boundary.Stop()
	w.tell()
	for {
		hangup := false
		select {
		case <-ctx.Done():
			return nil
		case terms := <-w.force:
			w.put(w.running.Under(terms), "what holds of open sales not applied", apply)
			w.tell()
			boundary.Reset(time.Until(w.boundary(time.Now())))
			continue
		case <-stirred.changed():
			settled.Reset(settle)
			continue
		case err := <-stirred.failed():
			w.log.Warn("a change may have been missed, looking at the files", zap.Error(err))
			settled.Reset(settle)
			continue
		case <-w.asked:
			w.said, w.told, hangup = "", "", true
		case <-settled.C:
		case <-ticker.C:
		case <-boundary.C:
		}
		now := time.Now()
		if same := w.look(now, apply); same && hangup {
			w.log.Info("files read again, nothing has changed")
		}
		stirred.follow(w.folders())
		boundary.Reset(w.boundary(now).Sub(now))
	}
}

// boundary is when the running sales must be looked at again although no file
// has changed.
func (w *Watcher) boundary(now time.Time) time.Time {
	if _, wake := w.running.turned(now); !wake.IsZero() {
		return wake
	}
	return now.Add(patrol)
}

// look brings the running configuration up to an instant, first its runs and
// then its files. It reports whether all is well and as it was.
func (w *Watcher) look(now time.Time, apply func(*Config) error) (same bool) {
	turned, _ := w.running.turned(now)
	ran, ok := w.put(turned, "next run of a repeating sale not applied", apply)
	switch {
	case !ok:
		return false
	case ran:
		w.log.Info("next run of a repeating sale")
	}
	next, err := Load(w.file, w.env, now)
	if err == nil {
		next = next.heldAs(w.running)
		err = Changes(w.running, next, now).err()
	}
	if err != nil {
		w.refuse("configuration refused, the running one stays in force", err)
		return false
	}
	last := w.running
	changed, ok := w.put(next, "configuration not applied, the running one stays in force", apply)
	if !ok {
		return false
	}
	if changed {
		w.log.Info("configuration changed", zap.Strings("keys", last.changed(next)), zap.Int("sales", len(next.Sales)), zap.Int("rooms", len(next.Rooms)))
	}
	w.said = ""
	w.tell()
	return !ran && !changed
}

// put makes a configuration the running one, if it is another, and reports whether
// it was and whether it is now.
func (w *Watcher) put(next *Config, message string, apply func(*Config) error) (changed, ok bool) {
	if next.sameAs(w.running) {
		return false, true
	}
	if err := apply(next); err != nil {
		w.refuse(message, err)
		return true, false
	}
	w.running = next
	return true, true
}

// tell logs what the files say that is not in force, once for the same. Before the
// doors that is so for a moment wherever a new file reaches workers one by one.
func (w *Watcher) tell() {
	write, message := w.log.Warn, "file overruled by the one that another worker has read last"
	if w.running.overrulesOpen(time.Now()) {
		write, message = w.log.Error, "file overruled by what is in force of an open sale"
	}
	told, said := "", []string(nil)
	for _, o := range w.running.Overruled() {
		said = append(said, o.String())
		told += message + o.String()
	}
	if told != "" && told != w.told {
		write(message, zap.Strings("faults", said))
	}
	w.told = told
}

// refuse logs why a change is not taken, once for the same reason.
func (w *Watcher) refuse(message string, err error) {
	if err.Error() == w.said {
		return
	}
	w.said = err.Error()
	faults, ok := errors.AsType[Faults](err)
	if !ok {
		w.log.Error(message, zap.Error(err))
		return
	}
	var said []string
	for _, f := range faults {
		said = append(said, f.String())
	}
	w.log.Error(message, zap.Strings("faults", said))
}
