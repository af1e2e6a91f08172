/* Buying: one press, one form. */
var form = at('buy'), button = form && form.querySelector('button'), label = button && button.textContent, sent = false;

function release() {
  if (!button) return;
  sent = false;
  button.removeAttribute('aria-disabled');
  button.textContent = label;
}

if (form) form.addEventListener('submit', function (press) {
  if (sent) return press.preventDefault();
  sent = true;
  button.setAttribute('aria-disabled', 'true');
  button.textContent = button.dataset.busy;
  setTimeout(release, 15000);
});
