/*
The choice of another language leads back to this very address, with the fragment that
only a browser knows, and also where it tells nobody where it was.
*/
document.querySelectorAll('.languages a').forEach(link => {
  link.onclick = () => {
    if (!/back/.test(link.search)) link.search += '&back=' + encodeURIComponent(location.pathname + location.search);
    link.hash = location.hash;
  };
});
