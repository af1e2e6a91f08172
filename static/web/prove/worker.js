/* The puzzles in a worker of their own, so that the page answers meanwhile. */
onmessage = async ({ data: { text, bits, puzzles } }) => {
  const prove = prover(await seedOf(text), bits, puzzles);
  let solved = 0;
  while (solved < puzzles) {
    solved = prove.step(8192);
    postMessage({ solved });
  }
  postMessage({ solution: prove.solution() });
};
