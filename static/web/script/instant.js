/*
Instants. The server tells them by the clocks of the sale's zone; whose own clock shows
something else is told what it shows. The zone's own words stay as the title.
*/

// An instant as the reader's own clock will show it; empty where that is what the sale's shows.
function yours(stamp) {
  const at = new Date(stamp), [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(stamp) || [];
  if (!sign || !window.Intl || -at.getTimezoneOffset() === (sign + 1) * (hours * 60 + +minutes)) return '';
  const write = options => new Intl.DateTimeFormat(live.locale, options).format(at);
  const time = write({ hour: live.hour, minute: '2-digit' });
  if (at.toDateString() === new Date().toDateString()) return text('clock', { time });
  return text('clock.day', { time, day: write({ weekday: 'long', day: 'numeric', month: 'long' }) });
}

function tellInstants() {
  document.querySelectorAll('time').forEach(part => {
    const own = yours(part.dateTime);
    if (!own) return;
    part.title = part.textContent;
    part.textContent = isolate(own);
  });
}

// When the draw is, in words.
function opening() { return data.opens && yours(data.opens) || data.opening; }
