/*
The steps of "check my place", with the words of one language before them: what the
page has found out, done again before the reader's eyes. Gives {steps, verdict}: what
was done, and what came of it.
*/
window.waitroomProof = async ({ s, seal, draw, number, place, behind, late, ahead, sha256, fromHex, placeOf, fill, numbers }) => {
  // The commitment that belongs to the seed; both in hexadecimal.
  const sum = toHex(await sha256(fromHex(draw.seed))), found = behind ? draw.count + number : await placeOf(draw, number);
  const sealed = sum === (seal || s.commitment), fits = found === place;
  const holes = {
    seal: seal || s.commitment, seed: draw.seed, sum, mix: s.mix, mixed: draw.mixed,
    count: numbers.format(draw.count), number: numbers.format(number), place: numbers.format(found),
    head: numbers.format(s.head), ahead,
  };
  const names = [seal ? 'seal' : 'unseen', !sealed ? 'broken' : seal ? 'seed' : 'fits'];
  if (s.mix) names.push('mix');
  names.push('count', behind ? 'behind' : late ? 'late' : 'place', fits ? 'ahead' : 'differs');
  return {
    steps: names.map(name => item(texts[name], holes, fill)),
    verdict: texts[!sealed || !fits ? 'wrong' : seal ? 'right' : 'partly'],
  };
};

function toHex(bytes) { return Array.from(bytes, b => (b < 16 ? '0' : '') + b.toString(16)).join(''); }

// One step. What is there to be compared letter by letter has a line of its own.
function item(words, holes, fill) {
  const li = document.createElement('li');
  for (const part of words.split(/(\{\w+\})/)) {
    const name = part.slice(1, -1);
    if (!part.startsWith('{') || !['seal', 'seed', 'sum', 'mixed'].includes(name)) {
      li.append(fill(part, holes));
      continue;
    }
    const code = document.createElement('code');
    code.textContent = holes[name];
    li.append(code);
  }
  return li;
}
