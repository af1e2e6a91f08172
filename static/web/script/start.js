/* What sets it all going, and coming back to a page that was away. */
document.addEventListener('visibilitychange', function () {
  if (document.hidden) clearTimeout(timer);
  else later(Math.max(0, asked + 1000 - now()));
});
addEventListener('online', function () { ask(); });
addEventListener('pageshow', function (show) {
  if (!show.persisted) return;
  gone = false;
  shown = now();
  release();
  ask(true);
});

document.documentElement.classList.add('js');
wind();
if (at('alarm')) setTimeout(function () { at('alarm').textContent = at('alarm').dataset.say; }, 500);
if (data.asks) later(1000 + 2000 * Math.random());
else if (data.refresh) renewIn(data.refresh * (1000 + 300 * Math.random()));
