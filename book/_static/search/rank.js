// What a query finds, best first: the entries of entries.js (made by book/_ext/search.py), ranked by
// MiniSearch. Any word may match; an entry that holds more of the words comes first.
// `ranking` is a promise of the function `rank(query)`: the index is built in short slices, between
// which the page answers its reader.

// The anchor of a row, as row_anchor() in search.py makes it: entries.js has 0 in its place.
function rowAnchor(title) {
  const words = title.replaceAll("`", "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^[-\d]+|-+$/g, "").split("-");
  while (words.join("-").length > 60) words.pop();
  return `row-${words.join("-")}`;
}

const ranking = (async () => {
  const SLICE = 8; // milliseconds
  const pause = () => globalThis.scheduler?.yield?.() ?? new Promise((go) => setTimeout(go));
  async function inSlices(parts, work) {
    let start = performance.now();
    for (const part of parts) {
      if (performance.now() - start > SLICE) start = (await pause(), performance.now());
      work(part);
    }
  }

  // What counts how much: where a word stands, what kind of entry it is, and which page it is on.
  const FIELDS = { title: 3.5, names: 2, place: 2, section: 1.2, lead: 1.5, text: 1, asked: 3, code: 0.3 };
  const KINDS = { Page: 1.3, Section: 1, Question: 1, Symptom: 1.1, Message: 0.8, Need: 0.8, Term: 0.9, Claim: 0.9, Change: 0.6, Operation: 0.5 };
  const PAGES = { "reference/articles": 0.4, "reference/bibliography": 0.3, "reference/claims": 0.6, "reference/scope": 0.6 };
  const SYNONYM = 0.45; // of a word that was asked for
  const HELD = 2; // the power of the share of the query that an entry holds
  const COVER = 1.5; // the same of all entries of a chapter
  const WHOLE = 0.35; // more for a title that is asked for word by word
  const MORE = 0.6; // of the next entries of a chapter
  const LINKED = [0.4, 0.12]; // of an answer, for the first place to which it links, and the second
  const MESSAGE = /^(?:error|warning|exception|message|traceback|raise|fail|crash)(?:s|es|ed)?$/i; // asks for one
  const LIKELIER = 3; // a message that is asked for
  const OF_A_CHAPTER = new Set(["Page", "Section", "Claim"]);
  const LINKS = new Set(["Question", "Symptom", "Need", "Change"]); // rows whose words of code are links
  const NAMED = 1e6; // what is named, or pasted, comes before all that is ranked
  const LEAST = 0.1; // of the best result
  const SMALL = [0.2, /^(?:.|\d+)$/]; // the worth of a number, or of a name of one letter, as in `x[0] = 7`

  const IGNORED = new Set(
    ("a an the is are was be been being am do does did done how what why when where which who whose i my me mine we our " +
      "you your it its this that these those there here of in on at for with from by as to into and or but if so than then " +
      "can could should would will may might must has have had not no vs versus between any some please want need use using " +
      "pytorch get got make makes made way difference after before while during always still again also just really happen happens " +
      "help problem issue question work works").split(" "),
  );
  // Words of one meaning, or one the usual cause of the other; a word finds the others of its line.
  const ALIKE = `
    trainable learnable parameter leaf train
    leaf leaves
    weight parameter
    model module network net layer
    leak grow increase oom
    slice slicing view index crop
    duplicate copy clone replicate
    gpu cuda device
    cpu host
    array numpy ndarray
    fast slow time faster slower speed performance benchmark
    slow cost overhead expensive
    share alias same reference
    average ema mean
    recurrent rnn lstm gru hidden
    freeze frozen detach requires_grad
    stop cut block detach
    history graph
    checkpoint save disk file
    pickle serialize save
    load restore resume
    snapshot best backup
    wrong silent garbage incorrect
    error message raise exception fail
    crash segfault signal
    check see know tell whether detect
    cast convert dtype
    exchange swap
    broadcast expand
    modify change write mutate overwrite assign
    update step
    dataset dataloader loader worker
    process worker fork multiprocessing
    parallel distributed ddp fsdp sharded
    async asynchronous nonblocking
    permute transpose
    gradient grad
    independent own separate
    accumulate sum running total
    log record print plot
    none missing`;

  // One spelling for what is written in several ways, or said in several words.
  const SPELLINGS = [
    [/\bin[- ]place\b/gi, "inplace"],
    [/\bdeep[- ](?=cop)/gi, "deep"],
    [/\bnon[- ](?=leaf|leaves|blocking|contiguous)/gi, "non"],
    [/\bnon_blocking\b/gi, "nonblocking"],
    [/\b(data|check|state) (?=loader|point|dict)/gi, "$1"],
    [/\bstate_dict\b/gi, "statedict"],
    [/\bno[_ ]grad\b/gi, "nograd"],
    [/\brequires?[_ ]grad(?:ient)?s?\b/gi, "requires_grad"],
    [/\bout of memory\b/gi, "oom"],
    [/\b(?:without|stop|block|cut) (?:the |its |any )?grad(?:ient)?s?\b/gi, "$& detach"],
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
    SPELLINGS.reduce((known, [from, to]) => known.replace(from, to), text)
      .split(/[^\p{L}\p{N}_]+/u)
      .filter(Boolean);

  // The terms of a word: `requires_grad_` and `TensorDataset` are also found by each of their parts.
  const kept = new Map();
  const terms = (word) => {
    if (!kept.has(word)) {
      const whole = word.replace(/^_+/, "") || word;
      const parts = whole.split("_").filter((part) => part.length > 2);
      const humps = (whole.match(/\p{Lu}\p{Ll}+/gu) ?? []).filter((part) => part.length > 3);
      kept.set(word, [...new Set([whole, ...parts, ...humps].map((one) => stem(one.toLowerCase())))]);
    }
    return kept.get(word);
  };
  const ignored = (word) => IGNORED.has(word.toLowerCase());

  const alike = new Map();
  for (const line of ALIKE.trim().split("\n")) {
    const words = line.trim().split(" ").map(stem);
    for (const word of words) alike.set(word, [...(alike.get(word) ?? []), ...words.filter((one) => one !== word)]);
  }

  const exact = { Page: (_, names) => names, Claim: (anchor) => [anchor], Operation: (anchor) => [anchor.slice(3).toLowerCase()] };
  const all = [];
  const places = new Map(); // a claim or a page by its name
  await inSlices(BOOK, ([url, page, names, found]) => {
    const path = url.replace(/\.html$/, "");
    let section = "";
    for (const [kind, stored, title, text, code = ""] of found) {
      const anchor = stored === 0 ? rowAnchor(title) : stored;
      if (kind === "Section") section = title;
      all.push({
        id: all.length, url, page, kind, anchor, title, text, code: LINKS.has(kind) ? "" : code, links: LINKS.has(kind) ? code.split(" ") : [],
        place: kind === "Page" ? "" : page, section: kind === "Claim" ? section : "", lead: kind === "Page" ? text : "",
        names: kind === "Page" ? names.join(" ") : kind === "Claim" ? anchor : "",
        exact: exact[kind]?.(anchor, names) ?? [],
        words: new Set(split(title).filter((word) => !ignored(word)).map((word) => terms(word)[0])),
        weight: KINDS[kind] * (PAGES[path] ?? 1) * (text || LINKS.has(kind) ? 1 : 0.5), asked: "",
      });
      if (kind === "Claim" || kind === "Page") places.set(anchor || path, all.at(-1));
      if (kind === "Message") all.at(-1).links = [...text.matchAll(/`([a-z]\w*\.\w+)`/g)].map(([, name]) => name);
    }
  });
  // A question whose answer links to a claim is in other words what the claim is about.
  for (const entry of all) {
    entry.links = entry.links.map((name) => places.get(name)).filter((one) => one && one.url !== entry.url);
    if (LINKS.has(entry.kind) && entry.kind !== "Change") for (const place of entry.links) place.asked += ` ${entry.title}`;
  }

  const frequent = new Map(); // a term, and the number of places where it stands
  const index = new MiniSearch({
    fields: Object.keys(FIELDS),
    tokenize: split,
    processTerm: (word) => {
      const found = ignored(word) ? [] : terms(word);
      for (const term of found) frequent.set(term, (frequent.get(term) ?? 0) + 1);
      return found;
    },
  });
  await inSlices(all, (entry) => index.add(entry));

  // How many letters are wrong, missing, too many or exchanged; more than `most` count as too many.
  function slips(one, other, most) {
    if (Math.abs(one.length - other.length) > most) return Infinity;
    let [before, last] = [[], [...Array(other.length + 1).keys()]];
    for (let i = 1; i <= one.length; i++) {
      const row = [i];
      for (let j = 1; j <= other.length; j++) {
        const same = one[i - 1] === other[j - 1];
        row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + !same);
        if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
      }
      [before, last] = [last, row];
    }
    return last.at(-1) > most ? Infinity : last.at(-1);
  }

  // The known term that was meant: a mistyped one has the same first letter, and is corrected to the
  // nearest, the most frequent of several. The beginning of a known term is left as it is.
  const meant = new Map();
  function known(term) {
    if (term.length < 4 || frequent.has(term) || alike.has(term)) return term;
    if (!meant.has(term)) {
      const words = [...frequent.keys(), ...alike.keys()].filter((word) => word[0] === term[0] && word.length > 3);
      const most = term.length < 8 ? 1 : 2;
      const near = words.some((word) => word.startsWith(term)) ? [] : words.map((word) => [slips(term, word, most), -(frequent.get(word) ?? 0), word]);
      const [best] = near.filter(([number]) => number <= most).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      meant.set(term, best?.[2] ?? term);
    }
    return meant.get(term);
  }

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

  // What one word of a query gives to each entry that holds it, or a word like it: the best of them.
  function found(word) {
    const own = [...new Set(terms(word).map(known))];
    const scores = new Map();
    const look = (term, factor) => {
      const terms = { tokenize: () => [].concat(term), processTerm: (one) => one, boost: FIELDS };
      const begins = { prefix: (one) => one.length > 3, weights: { prefix: 0.3, fuzzy: 0 } };
      for (const { id, score } of index.search(String(term), { ...terms, ...(factor === 1 && begins) })) {
        scores.set(id, Math.max(scores.get(id) ?? 0, score * factor));
      }
    };
    look(own, 1);
    const others = new Set(own.flatMap((term) => alike.get(term) ?? []));
    for (const term of others) if (!own.includes(term)) look(term, SYNONYM);
    return { scores, own, wanted: [...own, ...others] };
  }

  function rank(query) {
    const every = split(query.replace(/^\s*\w+(?:Error|Warning):\s*/, ""));
    const asked = every.filter((word) => !ignored(word));
    const sought = asked.length ? asked : every;
    const words = sought.map(found);
    const wanted = new Set(words.flatMap((word) => word.wanted));
    // A rare word counts more than "tensor", and one that stands nowhere not at all: of a query, and of what an entry or a page holds of it.
    const small = sought.map((word) => (SMALL[1].test(word) ? SMALL[0] : 1));
    const worth = words.map(({ own, scores }, number) => scores.size && small[number] * Math.log(2 + index.documentCount / (frequent.get(own[0]) ?? 1)));
    const share = (numbers) => [...numbers].reduce((sum, number) => sum + worth[number], 0) / worth.reduce((sum, one) => sum + one, 0);

    const held = new Map(); // an entry, or a page, and the numbers of the words that it holds
    const hold = (one, number) => held.set(one, (held.get(one) ?? new Set()).add(number));
    const scores = new Map();
    words.forEach(({ scores: given }, number) => {
      for (const [id, score] of given) {
        scores.set(all[id], (scores.get(all[id]) ?? 0) + small[number] * score);
        hold(all[id], number);
        if (OF_A_CHAPTER.has(all[id].kind)) hold(all[id].url, number);
      }
    });
    const asksForOne = [...words.keys()].filter((number) => MESSAGE.test(sought[number]));
    const isLikely = ({ kind }) => kind === "Message" && asksForOne.length > 0;
    for (const [entry, score] of scores) {
      const likely = isLikely(entry);
      if (likely) asksForOne.forEach((number) => hold(entry, number));
      const title = [...entry.words].filter((term) => wanted.has(term)).length / (entry.words.size || Infinity);
      scores.set(entry, score * entry.weight * (likely ? LIKELIER : 1) * share(held.get(entry)) ** HELD * (1 + WHOLE * title));
    }
    // What an answer links to is the likelier the better the answer fits.
    const more = new Map();
    for (const [{ links }, score] of scores) {
      LINKED.forEach((part, place) => links[place] && more.set(links[place], Math.max(more.get(links[place]) ?? 0, part * score)));
    }
    for (const [entry, score] of more) scores.set(entry, (scores.get(entry) ?? 0) + score);
    // The chapter about a method comes before the row of the operation.
    named(query).forEach((entry) => scores.set(entry, NAMED + (entry.kind === "Page")));
    pasted(query).forEach((length, entry) => scores.set(entry, NAMED + length));

    // One result for each page: its best entry, and the others below. Several that fit make a chapter
    // the likelier one, and so does what they hold together; the rows of a table of answers, and the
    // messages, have nothing in common.
    const pages = new Map();
    const sorted = [...scores].sort(([, a], [, b]) => b - a);
    const least = LEAST * (sorted.find(([, score]) => score < NAMED)?.[1] ?? 0);
    for (const [entry, score] of sorted) {
      const page = pages.get(entry.url);
      const whole = OF_A_CHAPTER.has(entry.kind);
      const part = whole && score < NAMED ? share(held.get(entry.url) ?? []) ** COVER : 1;
      if (!page) pages.set(entry.url, { entry, score: score * part, more: [] });
      else if (score > least) {
        page.more.push(entry);
        if ((whole || isLikely(entry)) && page.more.length < 4) page.score += MORE * score * part;
      }
    }
    const results = [...pages.values()].sort((a, b) => b.score - a.score).filter(({ score }) => score > least);
    const own = new Set(words.flatMap((word) => word.own));
    return { results, marks: (word) => terms(word).some((term) => own.has(term)) };
  }
  return rank;
})();
