// Four mends of Sphinx's search. Loaded after searchtools.js and before the index.

// A query with a word whose stem has one or two letters finds nothing, as the index left such words
// out ("being" → "be", "one" → "on"). Pasted error messages are full of them: leave them out too.
splitQuery = (query) =>
  query
    .split(/[^\p{Letter}\p{Number}_\p{Emoji_Presentation}]+/gu)
    .filter((term) => term && new Stemmer().stemWord(term.toLowerCase()).length > 2);

// A method by any of its names: `torch.Tensor.detach`, `x.detach()` and `detach()` stand in the
// index as `detach`.
const parseQuery = Search._parseQuery;
Search._parseQuery = (query) => {
  const entries = Search._index.indexentries;
  let name = query.trim().replace(/^\./, "");
  for (;;) {
    if (name.toLowerCase() in entries) return parseQuery(name);
    const shorter = name.replace(/\([^()]*\)$/, "");
    if (shorter === name && !/^\.?\w+\./.test(name)) break;
    name = shorter === name ? name.replace(/^\.?\w+\./, "") : shorter;
  }
  return parseQuery(query.trim().replace(/^\w+(Error|Warning):\s*/, ""));
};

// A pasted message, or its beginning, leads to its entry in "Errors and warnings", whatever stands
// around it, and whatever numbers and sizes stand in it.
const performSearch = Search._performSearch;
Search._performSearch = (query, ...terms) => {
  const results = performSearch(query, ...terms);
  const { alltitles, docnames, filenames, titles } = Search._index;
  const plain = (text) => ` ${text.toLowerCase().replace(/[^a-z_]+/g, " ").trim()} `;
  const message = plain(query);
  const page = docnames.indexOf("reference/errors");
  // A claim that was not asked for is no result of its own; one that was shows its name.
  const claim = (one) => /^#[a-z_]+\.\w+$/.test(one[2]);
  const asked = query.toLowerCase().trim();
  for (const one of results.filter(claim)) {
    if (asked.includes(".")) one[1] = `${one[1]} > ${one[2].slice(1)}`;
    else results.splice(results.indexOf(one), 1);
  }
  // Of two entries of the same name the chapter comes before the glossary.
  const glossary = (one) => one[0] === "reference/glossary";
  results.sort((a, b) => a[4] - b[4] || glossary(b) - glossary(a));
  const found = [];
  for (const [title, places] of Object.entries(alltitles)) {
    const words = plain(title);
    const [, id] = places.find(([file]) => file === page) ?? [];
    if (!id || Math.min(words.length, message.length) < 20) continue;
    // The whole message before its beginning, a long one before a short one.
    const rank = message.includes(words) ? words.length : words.includes(message.trimEnd()) ? 0 : -1;
    if (rank >= 0) found.push([rank, title, `#${id}`]);
  }
  for (const [, title, anchor] of found.sort(([a], [b]) => a - b)) {
    const same = results.findIndex((one) => one[0] === docnames[page] && one[2] === anchor);
    if (same >= 0) results.splice(same, 1);
    // The last result is shown first.
    results.push([docnames[page], `${titles[page]} > ${title}`, anchor, null, 1000, filenames[page]]);
  }
  return results;
};

// Under each result stands text of the article, or of the claim, not of the buttons around it.
Search.htmlToText = (html, anchor) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  const aside = ".headerlink, script, style, .helper, .evidence";
  page.querySelectorAll(aside).forEach((element) => element.remove());
  const place = anchor && page.getElementById(decodeURIComponent(anchor.slice(1)));
  return (place || page.querySelector("article.bd-article") || page.body).textContent;
};
