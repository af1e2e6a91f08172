/*
Loading the page anew, for what is private: never in a circle.
*/
const inRoom = 'room' in data, attempts = 'waitroom ' + data.sale;
let gone = false, shown = now(), due = '';

// A page that tells the truth was not come to in vain: the next reason to leave
// it is a new one.
function fits() {
  try { sessionStorage.removeItem(attempts); } catch (e) { /* none remembered */ }
}

// Goes to the page of the new standing, once; where nobody looks, as soon as
// somebody does. Should the same page come back for the same reason, each further
// attempt waits.
function go(why) {
  if (gone || due && document.hidden) return;
  const reason = data.page + ' ' + why;
  let times;
  try {
    const last = JSON.parse(sessionStorage.getItem(attempts)) || {};
    times = last.reason === reason ? last.times + 1 : 0;
  } catch (e) { /* no memory of attempts */ }
  if (now() - shown < 1000 * patience(times)) return;
  const told = !due && among('called admitted', why) && callUp();
  due = why;
  if (document.hidden) return;
  try { sessionStorage.setItem(attempts, JSON.stringify({ reason, times })); } catch (e) { /* none */ }
  gone = true;
  setTimeout(renew, told ? 1500 : 0); // a sound ends with the page
}

// Seconds that a page stands before it may be loaded anew, after so many times in
// vain; undefined where nothing is remembered. An edge may be a moment behind, so
// a sale's waits longer each time. A room's page may find no token or no seat left
// when its turn has come: it is told by the edge when to try again.
function patience(times) {
  if (times === 0) return 0;
  if (inRoom) return Math.max(1, +data.refresh || 0);
  return times ? Math.min(60, 4 * 2 ** times) : 15;
}

// Asks for the page anew, always with GET: where it may be the answer to a
// posted form, data.again leads to the line. What stands behind the # goes along.
function renew() {
  gone = true;
  // The same address with a # in it would only be scrolled to.
  if (data.again && data.again !== location.pathname + location.search) location.replace(data.again + location.hash);
  else location.reload();
}

// For the pages that ask nothing and were told to renew themselves.
function renewIn(wait) {
  setTimeout(() => {
    if (document.hidden || !navigator.onLine) renewIn(1000);
    else renew();
  }, wait);
}
