// The search page: shows what rank.js finds for the words in the field, which stand in the address
// as well (?q=). Nothing is fetched, so it works from a file, too. It is the first of the scripts: what
// is typed before the index is built is answered then.

(() => {
  const LONGEST = 220; // letters of an excerpt
  const SHOWN = 3; // further entries of a page, before the fold
  const field = document.querySelector(".book-search input");
  const [summary, list, help] = ["summary", "results", "help"].map((name) => document.getElementById(`search-${name}`));
  const own = document.querySelector('script[src*="search/search.js"]').getAttribute("src");
  const top = own.slice(0, own.indexOf("_static/"));

  const make = (tag, name, ...children) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    element.append(...children);
    return element;
  };

  // Text with its code in backticks, as nodes; words that were asked for are marked.
  function shown(text, marks) {
    return text.split("`").map((part, number) => {
      const pieces = part.split(/([\p{L}\p{N}_]+)/u).map((word, odd) => (odd % 2 && marks?.(word.toLowerCase()) ? make("mark", "", word) : word));
      return number % 2 ? make("code", "", ...pieces) : make("span", "", ...pieces);
    });
  }

  // At most so many letters, from the beginning of a sentence if possible, cut between words.
  function cut(text, start, length = LONGEST) {
    if (start + length > text.length) start = Math.max(0, text.length - length);
    const sentence = Math.max(text.lastIndexOf(". ", start), text.lastIndexOf(": ", start), text.lastIndexOf("? ", start));
    if (start > 0) start = start - sentence < length / 2 ? sentence + 2 : text.indexOf(" ", start) + 1;
    if (sentence < 0 && start < length / 2) start = 0;
    let part = text.slice(start, start + length);
    const ends = start + length >= text.length;
    if (!ends) part = part.slice(0, Math.max(part.lastIndexOf(" "), length / 2)).replace(/[\s,;:–]+$/, "");
    // Code that is cut keeps its backticks in pairs.
    if (text.slice(0, start).split("`").length % 2 === 0) part = `\`${part}`;
    if (part.split("`").length % 2 === 0) part += "`";
    return `${start > 0 ? "…\u00a0" : ""}${part}${ends ? "" : "\u00a0…"}`; // it does not stand alone on a line
  }

  // The paragraph with most of the words, around the first of them.
  function excerpt({ kind, text }, marks) {
    if (kind !== "Page" && kind !== "Section" && kind !== "Message") return cut(text, 0);
    let best = { number: -1 };
    for (const paragraph of text.split("\n")) {
      const found = [...paragraph.matchAll(/[\p{L}\p{N}_]+/gu)].filter(([word]) => marks(word.toLowerCase()));
      const number = new Set(found.map(([word]) => word.toLowerCase())).size;
      if (number > best.number) best = { number, paragraph, at: found[0]?.index ?? 0 };
    }
    return cut(best.paragraph, Math.max(0, best.at - LONGEST / 2));
  }

  function link(entry, name, length) {
    const text = entry.title || entry.text;
    const element = make("a", name, ...shown(cut(text, 0, length)));
    element.href = top + entry.url + (entry.anchor && `#${entry.anchor}`);
    return element;
  }

  function result({ entry, more }, marks) {
    const item = make("li", "", link(entry, entry.kind === "Claim" ? "" : "found", 250));
    const kind = ["Question", "Term"].includes(entry.kind) ? "" : ` · ${entry.kind}`;
    if (entry.kind !== "Page") item.append(make("p", "where", entry.page + kind));
    const text = entry.title && entry.text && excerpt(entry, marks);
    if (text) item.append(make("p", "excerpt", ...shown(text, marks)));
    const others = more.slice(0, 12).map((one) => make("li", "", link(one, "", 110)));
    if (others.length) item.append(make("ul", "more", ...others.slice(0, SHOWN)));
    if (others.length > SHOWN) {
      const fold = make("details", "", make("summary", "", `${others.length - SHOWN} more on this page`));
      fold.append(make("ul", "more", ...others.slice(SHOWN)));
      item.append(fold);
    }
    return item;
  }

  let rank; // from rank.js, when the index is built
  function show() {
    const query = field.value.trim();
    const waits = query !== "" && !rank;
    const { results, marks } = query && rank ? rank(query) : { results: [] };
    list.replaceChildren(...results.map((one) => result(one, marks)));
    list.setAttribute("aria-busy", waits);
    help.hidden = waits || results.length > 0;
    const number = `${results.length} ${results.length === 1 ? "page" : "pages"} found`;
    const found = results.length ? number : `Nothing found for “${query}”. Try fewer words, or others.`;
    summary.textContent = waits ? "Searching …" : query && found;
    document.title = document.title.replace(/^.*?(?=Search - )/, query && `${query} - `);
  }

  // The address says what is shown. From a file some browsers do not let it change.
  function remember(how) {
    const address = new URL(location);
    address.searchParams.set("q", field.value.trim());
    try {
      if (address.href !== location.href) history[how](null, "", address);
    } catch {}
  }
  const recall = () => {
    field.value = new URLSearchParams(location.search).get("q") ?? "";
    show();
  };

  let waiting;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => (show(), remember("replaceState")), 150);
  });
  field.form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    show();
    remember("pushState");
  });
  addEventListener("popstate", recall);

  // The arrow keys lead from the field through the results, and back.
  document.querySelector(".book-search").addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const stops = [field, ...list.querySelectorAll("a")].filter((stop) => stop.checkVisibility());
    const next = stops[stops.indexOf(document.activeElement) + step];
    if (!step || !next || !stops.includes(document.activeElement)) return;
    event.preventDefault();
    next.focus();
  });

  if (field.value) show(); // a fast reader
  else recall();
  document.addEventListener("DOMContentLoaded", async () => {
    rank = await ranking;
    show();
  });
  if (matchMedia("(pointer: fine)").matches) field.select(); // on a phone it would open the keyboard
})();
