/*
Buying: one press, one form. For who pressed buy before it goes on by itself, if
they are there: the page is in front, and somebody has used it of late.
*/
// What was chosen may have any name, also one of the form's own: none of those is used.
const form = at('buy'), button = document.querySelector('#buy button'), label = button && button.textContent, auto = at('auto');
const autos = 'waitroom auto ' + data.sale;
const MOMENT = 4000, LATELY = 5 * 60000; // to read it in, and for how long somebody is there
let sent = false, going = 0, back = performance.getEntriesByType('navigation').some(n => n.type === 'back_forward');

function letPress() {
  if (!button) return;
  sent = false;
  button.removeAttribute('aria-disabled');
  button.textContent = label;
}

addEventListener('submit', press => {
  if (press.target !== form) return;
  if (sent) return press.preventDefault();
  sent = true;
  clearTimeout(going);
  button.setAttribute('aria-disabled', 'true');
  button.textContent = button.dataset.busy;
  setTimeout(letPress, 15000);
});

function present() {
  return !document.hidden && document.hasFocus() && Date.now() - sessionStorage.getItem(uses) < LATELY;
}

// How often it went on by itself within the hour, in any tab, so that nothing is
// posted in a circle.
function tries() {
  const [times, since] = JSON.parse(localStorage.getItem(autos)) || [0, 0], age = Date.now() - since;
  return age < 60000 ? 3 : age < 3600000 ? times : 0;
}
// Where nothing is remembered, there is the button.
function mayGoOn() {
  try { return !!auto && !sent && !back && present() && tries() < 3; } catch (e) { return false; }
}

// Says so, and goes on a moment later; or leaves it to the button.
function consider() {
  const may = mayGoOn();
  clearTimeout(going);
  going = may && setTimeout(() => byOne(goOn), MOMENT);
  if (auto) auto.hidden = !may;
  if (may && at('alarm').textContent) alarm();
}
function goOn() {
  if (!mayGoOn()) return consider();
  try { localStorage.setItem(autos, JSON.stringify([tries() + 1, Date.now()])); } catch (e) { return leave(); }
  button.click();
}
// To the button, for good.
function leave() {
  back = true;
  consider();
}

// In one of the tabs that would.
function byOne(act) {
  if (!navigator.locks) return act();
  navigator.locks.request(autos, { ifAvailable: true }, lock => {
    if (!lock) return leave();
    act();
    return pause(15000);
  });
}

// At once, to those who cannot see the page change.
function alarm() {
  const part = at('alarm');
  if (part) part.textContent = going ? title() + '. ' + auto.textContent : part.dataset.say;
}

for (const name of ['pointerdown', 'keydown']) addEventListener(name, () => {
  if (!going) consider();
});
for (const name of ['focus', 'blur', 'visibilitychange']) addEventListener(name, consider);
addEventListener('pageshow', show => {
  if (!show.persisted) return;
  back = true;
  letPress();
  consider();
});

consider();
setTimeout(alarm, 500);
