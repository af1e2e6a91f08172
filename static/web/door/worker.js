/* The puzzles in a worker of their own, so that the page answers meanwhile. */
onmessage = async ({ data: { text, bits } }) => {
  const prove = prover(await seedOf(text), bits);
  let solved = 0;
  while (solved < PUZZLES) {
    solved = prove.step(8192);
    postMessage({ solved });
  }
  postMessage({ solution: prove.solution() });
};
