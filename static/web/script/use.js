/* When somebody was here last, for the page that follows in this tab. */
const uses = 'waitroom used';

function use() {
  try { sessionStorage.setItem(uses, Date.now()); } catch (e) { /* nobody knows */ }
}
for (const name of ['pointerdown', 'keydown', 'focus']) addEventListener(name, use);
try { if (!sessionStorage.getItem(uses)) use(); } catch (e) { /* nobody knows */ }
