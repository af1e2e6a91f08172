/*
For a browser in which the page's own script does not get through its start: there the
page renews itself as it does without script. In words that every browser knows.
*/
(function (data) {
  if (data.refresh) setTimeout(function () {
    if (document.documentElement.className) return;
    if (data.again) location.replace(data.again);
    else location.reload();
  }, data.refresh * 1000);
})(document.body.dataset);
