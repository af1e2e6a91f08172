package browser_test

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/static"
)

// notified stands for the browser's notifications and its sound, and notes what came.
const notified = `(answer => {
	window.notes = []; window.tones = 0;
	window.Notification = class { constructor(words) { notes.push(words); } };
	Notification.permission = 'default';
	Notification.requestPermission = async () => Notification.permission = answer;
	const part = () => ({ setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {} });
	window.AudioContext = class {
		get currentTime() { return 0; }
		resume() {}
		createGain() { return { gain: part(), connect: next => next }; }
		createOscillator() { return { frequency: {}, connect: next => next, start() { tones++; }, stop() {} }; }
	};
	document.hasFocus = () => !document.hidden;
})`

const (
	bell   = "document.querySelector('#tell button')"
	choice = "document.querySelector('#tell p').innerText"
)

// TestTold: who asked to be told of their turn is told while nobody looks, by the title
// as well, and finds the page of the turn on coming back. What is asked for that is
// asked seldom.
func TestTold(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	place := e.draw(nil)
	e.tell(fields{"head": place - 8})
	w := open(t, e.line())
	w.Shows(page, "near")
	w.Shows(bell+".innerText", "Tell me when it is my turn")
	w.Says(notified + "('granted')")
	w.Says(bell + ".click()")
	w.Shows(choice, "You will be told when it is your turn")
	w.Shows(said, "You will be told when it is your turn")
	w.Shows("sessionStorage.getItem('waitroom bell toy')", `{"note":true,"sound":false}`)
	w.hide(true)
	time.Sleep(3 * time.Second) // what was under way
	asked := e.questions("status")
	time.Sleep(4 * time.Second)
	if n := e.questions("status") - asked; n != 0 {
		t.Errorf("hidden, it asked %d times within 4 seconds, want none within 7.5", n)
	}
	e.become(static.Turn)
	e.tell(fields{"head": place + 1})
	w.Shows("notes.join()", "It is your turn")
	w.Shows("document.title", "Your turn · Golden toy")
	w.Shows("tones", "0")
	w.Shows(page, "near") // nothing is loaded behind somebody's back
	w.hide(false)
	w.Shows(page, "turn")
	if me, line := e.questions("me"), e.questions("line"); me != 1 || line != 2 {
		t.Errorf("me was asked %d times and the page %d times, want once and twice", me, line)
	}
}

// TestToldBySound: where notifications are refused there is a sound, if it is wanted,
// also for who is called back; and nothing is told to who did not ask.
func TestToldBySound(t *testing.T) {
	t.Parallel()
	e := opening(t, 7, -time.Minute)
	place := e.draw(fields{"head": 100})
	e.tell(fields{"hopeless_ahead": place - 101})
	w := open(t, e.line())
	w.Shows(page, "hopeless")
	w.Says(notified + "('denied')")
	e.tell(fields{"hopeless_ahead": nil})
	e.seen(w)
	w.Shows(page, "chance")
	w.Shows("tones + notes.length", "0")
	w.Says(bell + ".click()")
	w.Shows(choice, "Your browser does not allow notifications from this site.")
	e.tell(fields{"hopeless_ahead": place - 101})
	e.seen(w)
	w.Shows(page, "hopeless")
	e.tell(fields{"hopeless_ahead": nil})
	e.seen(w)
	w.Shows("tones", "2")
	w.Shows("notes.length", "0")
	w.Shows(bell+".innerText", "Do not tell me")
	w.Says(bell + ".click()")
	w.Shows(bell+".innerText", "Tell me when it is my turn")
	e.tell(fields{"state": "sold_out"})
	e.seen(w)
	w.Shows("document.getElementById('tell').hidden", "true")
}
