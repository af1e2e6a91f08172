/*
The choice of how to be told of one's turn, and the telling. It has the words of one
language before it, and makes its sound of no file.
*/
// On Android a page cannot notify by itself.
const canNotify = 'Notification' in window && !/Android/.test(navigator.userAgent);

window.waitroomBell = async ({ tell, bell, choose, unlock, say, name, pressed }) => {
  const press = tell.firstElementChild, part = document.createElement('div'), words = document.createElement('p');
  const boxes = { note: box(texts.note), sound: box(texts.sound) };
  part.append(words, boxes.note.label, boxes.sound.label);
  tell.append(part);

  function now(choice) {
    bell = choice;
    choose(bell);
    show();
  }
  function show() {
    press.textContent = bell ? texts.off : texts.offer;
    part.hidden = !bell;
    words.textContent = canNotify && Notification.permission === 'denied' ? texts.denied : texts.on;
    boxes.note.label.hidden = !canNotify || Notification.permission !== 'granted';
    for (const kind in boxes) boxes[kind].input.checked = !!bell && bell[kind];
  }
  async function begin(asked) {
    const note = canNotify && await asked === 'granted';
    now({ note, sound: !note });
    say(words.textContent, true);
  }
  for (const kind in boxes) boxes[kind].input.onchange = () => {
    unlock();
    now(Object.assign({}, bell, { [kind]: boxes[kind].input.checked }));
  };
  press.onclick = () => {
    if (bell) return now(null);
    unlock();
    begin(canNotify && Notification.requestPermission());
  };
  window.waitroomRing = (how, audio, said) => {
    if (how.note && !document.hasFocus()) notify(said, name);
    if (!how.sound || !audio) return false;
    chime(audio);
    return true;
  };
  if (bell && bell.sound) for (const use of ['pointerdown', 'keydown']) addEventListener(use, unlock, { once: true });
  if (pressed !== undefined) await begin(pressed);
  show();
};

function box(words) {
  const label = document.createElement('label'), input = document.createElement('input');
  input.type = 'checkbox';
  label.append(input, words);
  return { label, input };
}

function notify(said, name) {
  try {
    const note = new Notification(said, { body: name, tag: 'waitroom ' + name });
    note.onclick = () => { focus(); note.close(); };
  } catch (e) { /* not here */ }
}

// Two soft notes.
function chime(audio) {
  [660, 880].forEach((pitch, i) => {
    const tone = audio.createOscillator(), volume = audio.createGain(), begin = audio.currentTime + i / 4;
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0, begin);
    volume.gain.linearRampToValueAtTime(.3, begin + .03);
    volume.gain.exponentialRampToValueAtTime(.001, begin + 1);
    tone.connect(volume).connect(audio.destination);
    tone.start(begin);
    tone.stop(begin + 1);
  });
}
