/*
Being told of one's turn while looking elsewhere: offered by one button. By that press
alone a browser is asked for notifications and lets a sound be made. The choice is the
tab's, for this sale; what it takes comes to those who press.
*/
const tell = at('tell'), bells = 'waitroom bell ' + data.sale;
let bell = null, audio;

// A browser lets nothing be heard before somebody has pressed something.
function unlock() {
  const Sound = window.AudioContext || window.webkitAudioContext;
  audio = audio || Sound && new Sound();
  if (audio) audio.resume();
  return audio;
}

function choose(choice) {
  bell = choice;
  try { sessionStorage.setItem(bells, JSON.stringify(choice)); } catch (e) { /* this page remembers */ }
}

function hang(pressed) {
  fetchScript(tell.dataset.bell, () => window.waitroomBell({ tell, bell, choose, unlock, say, name: data.name, pressed }));
}

function offer() {
  if (tell) tell.hidden = among('sold_out ended', data.page);
}

// Tells who asked for it, and says whether it is to be heard.
function ring(words) { return bell && window.waitroomRing && window.waitroomRing(bell, audio, words); }

// One's turn has come.
function callUp() {
  if (!tell) return;
  document.title = fill(tell.dataset.title, { sale: data.name });
  return ring(tell.dataset.turn);
}

if (tell) {
  try { bell = JSON.parse(sessionStorage.getItem(bells)); } catch (e) { /* none chosen */ }
  tell.firstElementChild.onclick = () => {
    unlock();
    hang(window.Notification ? Notification.requestPermission() : '');
  };
  if (bell) hang();
  offer();
}
