/*
Being told of one's turn while looking elsewhere: offered by one button, and by that
press alone a browser is asked for notifications and lets a sound be made, here and
of no file. The choice is the tab's, for this sale.
*/
const tell = at('tell'), bells = 'waitroom bell ' + data.sale;
// On Android a page cannot notify by itself.
const notes = 'Notification' in window && !/Android/.test(navigator.userAgent);
let bell = null, audio;

function remember(choice) {
  bell = choice;
  try { sessionStorage.setItem(bells, JSON.stringify(choice)); } catch (e) { /* this page remembers */ }
  offer();
}

// What is to be pressed, as it stands.
function offer() {
  if (!tell) return;
  tell.hidden = among('sold_out ended', data.page);
  const [press, on] = tell.children, [words, note, sound] = on.children;
  press.textContent = live[bell ? 'tell.off' : 'tell.offer'];
  on.hidden = !bell;
  if (!bell) return;
  words.textContent = live[notes && Notification.permission === 'denied' ? 'tell.denied' : 'tell.on'];
  note.hidden = !notes || Notification.permission !== 'granted';
  for (const [label, name] of [[note, 'note'], [sound, 'sound']]) {
    label.lastChild.textContent = live['tell.' + name];
    label.firstChild.checked = bell[name];
    label.firstChild.onchange = change => { unlock(); remember(Object.assign({}, bell, { [name]: change.target.checked })); };
  }
}

async function press() {
  if (bell) return remember(null);
  unlock();
  const note = notes && await Notification.requestPermission() === 'granted';
  remember({ note, sound: !note });
  say(tell.querySelector('p').textContent, true);
}

// A browser lets nothing be heard before somebody has pressed something.
function unlock() {
  const Sound = window.AudioContext || window.webkitAudioContext;
  audio = audio || Sound && new Sound();
  if (audio) audio.resume();
}

// Two soft notes.
function chime() {
  [660, 880].forEach((pitch, i) => {
    const tone = audio.createOscillator(), volume = audio.createGain(), at = audio.currentTime + i / 4;
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0, at);
    volume.gain.linearRampToValueAtTime(.3, at + .03);
    volume.gain.exponentialRampToValueAtTime(.001, at + 1);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 1);
  });
}

// Tells who asked for it, and says whether it is to be heard.
function ring(words) {
  if (!bell) return false;
  if (bell.note && !document.hasFocus()) {
    try {
      const note = new Notification(words, { body: data.name, tag: bells });
      note.onclick = () => { focus(); note.close(); };
    } catch (e) { /* not here */ }
  }
  if (!bell.sound || !audio) return false;
  chime();
  return true;
}

// One's turn has come.
function callUp() {
  if (!tell) return false;
  document.title = fill(tell.dataset.title, { sale: data.name });
  return ring(tell.dataset.turn);
}

if (tell) {
  try { bell = JSON.parse(sessionStorage.getItem(bells)); } catch (e) { /* none chosen */ }
  tell.firstChild.onclick = press;
  if (bell && bell.sound) for (const use of ['pointerdown', 'keydown']) addEventListener(use, unlock, { once: true });
  offer();
}
