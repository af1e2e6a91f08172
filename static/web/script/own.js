/*
The pages that are one's own, and no common ones: what an answer means to them.
*/
function toldOrder(doc) {
  need(doc && words(doc.status));
  return { status: doc.status, end: instant(doc.pay_before) };
}

// The pages that stand for one thing only: until the doors open, and one's turn.
async function alone(answer, privately) {
  const s = look(answer);
  const changed = state === undefined ? !among(data.shared, s.state) : s.state !== state;
  dress(s);
  if (!data.own && !among(data.shared, s.state)) go(s.state);
  if (!data.own || !changed && !privately) return;
  if (changed) await pause(spread());
  const m = await askMe();
  // Where the page has to change and may not yet, this is asked again.
  if (among(data.own, m.state)) state = s.state;
  else go(m.state);
}

function order(answer) {
  const o = toldOrder(answer.doc);
  if (among(data.own, o.status)) reset((o.end - answer.date) / 1000);
  else go(o.status);
}

own = data.asks === 'order' ? order : alone;
