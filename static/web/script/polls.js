/*
How often a page asks for the shared status. What nobody is waiting for is asked
for seldom, and the more there are, the seldomer. Seconds, before a jitter of a
quarter more or less; never less than one:

  in line          a third of the time until called, 2 to 60
  in the draw, or
  to come behind   1 for each 20,000 who entered, 5 to 60
  paused           the same
  all held         2 for those who were called, else the same; as soon as they can,
                   and for their own standing besides, those to whom the edge
                   says that they are next
  hopeless         1 for each 10,000 who entered, 30 to 120, from twice the first
                   hopeless place on; before it in proportion, and while the head
                   moves a third of the time until called if that is less, both not
                   below 10
  sold out, ended  1 for each 5,000 who entered, 60 to 300
  nobody looks     nothing; where it was asked to tell, or is hopeless, twice as
                   long, and not below 10

After the draw each of a million asks once within 8 seconds. docs/shoppers.md
says what this adds up to. The line reckons with all this when it is drawn: AGE,
spread(), 5 to 60 and the 2 are in queueing/lua/tick.lua too.
*/
const AGE = 1200; // milliseconds until a new status has replaced the old one everywhere

// A crowd that waits for one instant does not come at one instant: it is spread
// over a second for each 100,000, 1 to 8; at the doors, where nobody is counted
// yet, over 5. Milliseconds.
function spread() {
  return Math.random() * 1000 * clamp(data.page === 'doors' ? 5 : 1, (seen ? seen.entered : 0) / 100000, 8);
}

function distance() {
  const told = next, usually = told || (failures ? 2 * 2 ** failures : usual());
  const s = document.hidden ? Math.max(10, 2 * usually) : usually;
  next = 0;
  // What an edge has told is not to be undercut.
  return 1000 * Math.max(1, clamp(1, s, 300) * ((told ? 1 : .75) + Math.random() / (told ? 4 : 2)));
}

function usual() {
  if (!seen) return data.page === 'finishing' ? 2 : clamp(3, left() / 8, 15);
  const crowd = seen.entered, many = clamp(5, crowd / 20000, 60), [soonest] = estimate(seen);
  switch (data.page) {
    case 'waiting': case 'near': case 'chance': return seen.rate > 0 ? clamp(2, soonest / 3, 60) : many;
    case 'lottery': case 'behind': return left() === 0 ? 2 : many;
    case 'overdue': case 'late': case 'paused': return many;
    case 'all_held': return called(seen) ? 2 : many;
    case 'hopeless': return recall(seen, clamp(30, crowd / 10000, 120));
    case 'sold_out': case 'ended': return clamp(60, crowd / 5000, 300);
    default: return left() === 0 ? 3 : clamp(3, left() / 8, 15);
  }
}

// Who is called back next has to know it in time, and who stands far behind them
// has that for later.
function recall(s, most) {
  const beyond = place / Math.max(1, s.head + s.hopeless_ahead) - 1;
  const [soonest] = estimate(s), until = s.state === 'open' && s.rate > 0 ? soonest / 3 : most;
  return clamp(10, Math.min(most * beyond, until), most);
}
