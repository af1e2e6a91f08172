/* Buying: one press, one form. */
const form = at('buy'), button = form && form.querySelector('button'), label = button && button.textContent;
let sent = false;

function letPress() {
  if (!button) return;
  sent = false;
  button.removeAttribute('aria-disabled');
  button.textContent = label;
}

if (form) form.addEventListener('submit', press => {
  if (sent) return press.preventDefault();
  sent = true;
  button.setAttribute('aria-disabled', 'true');
  button.textContent = button.dataset.busy;
  setTimeout(letPress, 15000);
});
