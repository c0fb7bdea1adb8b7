// What a query finds, best first: the entries of entries.js (made by book/_ext/search.py), ranked by
// MiniSearch. Any word may match; an entry that holds more of the words comes first.

const rank = (() => {
  // What counts how much: where a word stands, what kind of entry it is, and which page it is on.
  const FIELDS = { title: 5, names: 3, place: 2, text: 1, asked: 2, code: 0.3 };
  const KINDS = { Page: 1.3, Section: 1, Question: 1, Symptom: 1.1, Message: 0.8, Need: 0.8, Term: 0.9, Claim: 0.9, Change: 0.6, Operation: 0.5 };
  const PAGES = { "reference/articles": 0.4, "reference/bibliography": 0.3, "reference/claims": 0.6, "reference/scope": 0.6 };
  const SYNONYM = 0.3; // of a word that was asked for
  const WHOLE = 0.5; // more for a title that is asked for word by word
  const MORE = 0.35; // of the next entries of a chapter
  const OF_A_CHAPTER = new Set(["Page", "Section", "Claim"]);
  const NAMED = 1e6; // what is named, or pasted, comes before all that is ranked
  const LEAST = 0.15; // of the best result

  const IGNORED = new Set(
    ("a an the is are was be been being am do does did done how what why when where which who whose i my me mine we our " +
      "you your it its this that these those there here of in on at for with from by as to into and or but if so than then " +
      "can could should would will may might must has have had not no vs versus between any some please want need use using " +
      "pytorch get got make makes made way difference").split(" "),
  );
  // Words of one meaning, or one the usual cause of the other; a word finds the others of its line.
  const ALIKE = `
    trainable learnable parameter leaf
    leaf leaves
    weight parameter
    model module network net
    leak grow increase oom
    slice slicing view index
    duplicate copy clone
    gpu cuda device
    array numpy ndarray
    fast slow time faster slower speed performance
    share alias same
    average ema mean
    recurrent rnn lstm gru hidden
    freeze frozen detach
    stop cut block detach
    history graph
    checkpoint save
    snapshot best
    wrong silent garbage
    error message raise
    check see know tell whether
    cast convert dtype
    exchange swap
    broadcast expand
    modify change write mutate overwrite
    dataset dataloader loader
    none missing`;

  // One spelling for what is written in several ways.
  const SPELLINGS = [
    [/\bin[- ]place\b/g, "inplace"],
    [/\bdeep[- ](?=cop)/g, "deep"],
    [/\bnon[- ](?=leaf|leaves|blocking|contiguous)/g, "non"],
    [/\bnon_blocking\b/g, "nonblocking"],
    [/\b(data|check|state) (?=loader|point|dict)/g, "$1"],
    [/\bstate_dict\b/g, "statedict"],
    [/\bno[_ ]grad\b/g, "nograd"],
  ];

  // The stem of a word: near enough for English that speaks of tensors.
  const stem = (word) => {
    if (word.length < 4 || /[\d_]/.test(word)) return word;
    word = word.replace(/(?<=[^s])s$/, "").replace(/ie$/, "y");
    const base = word.replace(/(?:ied|ying)$/, "y").replace(/(?<=.{4})able$/, "").replace(/(?<=[aeiouy].*)(?:ing|ed)$/, "");
    if (base.length > 2) word = base.replace(/([bdfgmnprt])\1$/, "$1");
    return word.replace(/(?<=..)e$/, "");
  };

  const split = (text) =>
    SPELLINGS.reduce((known, [from, to]) => known.replace(from, to), text.toLowerCase())
      .split(/[^\p{L}\p{N}_]+/u)
      .filter(Boolean);

  // The terms of a word: `requires_grad_` is also found by each of its parts.
  const kept = new Map();
  const terms = (word) => {
    if (!kept.has(word)) {
      const whole = word.replace(/^_+/, "") || word;
      const parts = whole.split("_").filter((part) => part.length > 2);
      kept.set(word, [...new Set([stem(whole), ...parts.map(stem)])]);
    }
    return kept.get(word);
  };

  const alike = new Map();
  for (const line of ALIKE.trim().split("\n")) {
    const words = line.trim().split(" ").map(stem);
    for (const word of words) alike.set(word, [...(alike.get(word) ?? []), ...words.filter((one) => one !== word)]);
  }

  const exact = { Page: (_, names) => names, Claim: (anchor) => [anchor], Operation: (anchor) => [anchor.slice(3).toLowerCase()] };
  const all = [];
  const claims = new Map();
  for (const [url, page, names, found] of BOOK) {
    const place = url.replace(/\.html$/, "");
    for (const [kind, anchor, title, text, code = ""] of found) {
      all.push({
        id: all.length, url, page, kind, anchor, title, text, code, place: kind === "Page" ? "" : page,
        names: kind === "Page" ? names.join(" ") : kind === "Claim" ? anchor : "",
        exact: exact[kind]?.(anchor, names) ?? [],
        words: new Set(split(title).filter((word) => !IGNORED.has(word)).map((word) => terms(word)[0])),
        weight: KINDS[kind] * (PAGES[place] ?? 1) * (text ? 1 : 0.5), asked: "",
      });
      if (kind === "Claim") claims.set(anchor, all.at(-1));
    }
  }
  // A question whose answer links to a claim is in other words what the claim is about.
  for (const { title, code } of all.filter(({ kind }) => ["Question", "Symptom"].includes(kind))) {
    for (const claim of code.split(" ")) if (claims.has(claim)) claims.get(claim).asked += ` ${title}`;
  }

  const frequent = new Map(); // a term, and the number of places where it stands
  const index = new MiniSearch({
    fields: Object.keys(FIELDS),
    tokenize: split,
    processTerm: (word) => {
      const found = IGNORED.has(word) ? [] : terms(word);
      for (const term of found) frequent.set(term, (frequent.get(term) ?? 0) + 1);
      return found;
    },
  });
  index.addAll(all);

  // The entry of a pasted message, or of its beginning, whatever stands around it, and whatever
  // numbers and sizes stand in it; the whole message before its beginning, a long one before a short one.
  const letters = (text) => ` ${text.toLowerCase().replace(/[^a-z_]+/g, " ").trim()} `;
  const messages = all.filter((entry) => entry.kind === "Message").map((entry) => [entry, letters(entry.title)]);
  function pasted(query) {
    const asked = letters(query);
    const found = new Map();
    for (const [entry, message] of messages) {
      if (Math.min(message.length, asked.length) < 20) continue;
      if (asked.includes(message)) found.set(entry, message.length);
      else if (message.includes(asked.trimEnd())) found.set(entry, 1);
    }
    return found;
  }

  // What a query names: `torch.Tensor.detach`, `x.detach()` and `detach()` all name `detach`.
  function named(query) {
    let name = query.trim().toLowerCase().replace(/^\./, "");
    for (;;) {
      const found = all.filter((entry) => entry.exact.includes(name));
      if (found.length) return found;
      const shorter = name.replace(/\([^()]*\)$/, "");
      if (shorter === name && !/^\.?\w+\./.test(name)) return [];
      name = shorter === name ? name.replace(/^\.?\w+\./, "") : shorter;
    }
  }

  function rank(query) {
    const words = split(query.replace(/^\s*\w+(?:Error|Warning):\s*/, ""));
    const asked = words.filter((word) => !IGNORED.has(word));
    const wanted = new Map(); // a term, and the words that it stands for
    const own = new Set();
    (asked.length ? asked : words).forEach((word, number) => {
      for (const term of terms(word)) {
        own.add(term);
        for (const one of [term, ...(alike.get(term) ?? [])]) wanted.set(one, (wanted.get(one) ?? new Set()).add(number));
      }
    });
    const results = index.search(query, {
      tokenize: () => [...wanted.keys()],
      processTerm: (term) => term,
      boost: FIELDS,
      boostTerm: (term) => (own.has(term) ? 1 : SYNONYM),
      prefix: (term) => own.has(term) && term.length > 3,
      fuzzy: (term) => own.has(term) && !frequent.has(term) && term.length > 4 && 0.25,
      weights: { prefix: 0.25, fuzzy: 0.2 },
      boostDocument: (id) => all[id].weight,
    });
    // How much of the query an entry holds; a rare word counts more than "tensor".
    const worth = (asked.length ? asked : words).map((word) => Math.log(2 + index.documentCount / (frequent.get(terms(word)[0]) ?? 1)));
    const sum = (numbers) => numbers.reduce((before, number) => before + worth[number], 0);
    const every = sum([...worth.keys()]);
    const scores = new Map();
    for (const { id, score, queryTerms } of results) {
      const entry = all[id];
      const held = sum([...new Set(queryTerms.flatMap((term) => [...wanted.get(term)]))]) / every;
      const title = [...entry.words].filter((term) => wanted.has(term)).length / (entry.words.size || Infinity);
      scores.set(entry, score * held ** 1.5 * (1 + WHOLE * title));
    }
    // The chapter about a method comes before the row of the operation.
    named(query).forEach((entry) => scores.set(entry, NAMED + (entry.kind === "Page")));
    pasted(query).forEach((length, entry) => scores.set(entry, NAMED + length));

    // One result for each page: its best entry, and the others below. Several that fit make a chapter
    // the likelier one; the rows of a table of answers, and the messages, have nothing in common.
    const pages = new Map();
    const sorted = [...scores].sort(([, a], [, b]) => b - a);
    const least = LEAST * (sorted.find(([, score]) => score < NAMED)?.[1] ?? 0);
    for (const [entry, score] of sorted) {
      const found = pages.get(entry.url);
      if (!found) pages.set(entry.url, { entry, score, more: [] });
      else if (score > least) {
        found.more.push(entry);
        if (OF_A_CHAPTER.has(entry.kind) && found.more.length < 4) found.score += MORE * score;
      }
    }
    const found = [...pages.values()].sort((a, b) => b.score - a.score);
    return { results: found.filter(({ score }) => score > least), marks: (word) => terms(word).some((term) => own.has(term)) };
  }
  return rank;
})();
