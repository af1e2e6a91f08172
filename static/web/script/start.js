/* What sets it all going, and coming back to a page that was away. */
document.addEventListener('visibilitychange', () => {
  if (away()) clearTimeout(timer);
  if (document.hidden) return;
  use();
  if (due) go(due);
  else ask();
});
addEventListener('online', () => { ask(); });
addEventListener('pageshow', show => {
  if (!show.persisted) return;
  gone = false;
  shown = now();
  due = '';
  ask(true);
});

tellInstants();
wind();
if (at('proof')) prove();
// The first page of a room goes once by way of the line, where it is seen whether
// cookies are kept: only that one is told another address.
if (data.asks && !(inRoom && data.again)) later(1000 + 2000 * Math.random());
else if (data.refresh) renewIn(data.refresh * (1000 + 300 * Math.random()));
// It got through: see through.js.
document.documentElement.classList.add('js');
