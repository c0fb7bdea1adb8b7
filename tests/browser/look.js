// What the tests ask of a page; put into every page before its own scripts.
window.look = (() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const label = (element) => element.outerHTML.slice(0, 120).replace(/\s+/g, " ");
  const style = (element) => getComputedStyle(element);
  const seen = (element) => element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
  const reached = new Set();

  // Lays out all of a page, also what is out of sight, which the page leaves for later.
  async function whole() {
    const sheet = document.createElement("style");
    sheet.textContent = "article section, table.operations tr { content-visibility: visible !important; }";
    if (!document.getElementById("look-whole")) document.head.append(sheet);
    sheet.id = "look-whole";
    for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
  }

  // What sticks out of the page, or is cut, without a part around it that scrolls.
  function sideways() {
    whole();
    const width = document.documentElement.clientWidth;
    const scrolls = (element) =>
      element !== document.body &&
      (["auto", "scroll"].includes(style(element).overflowX) || scrolls(element.parentElement));
    const found = document.documentElement.scrollWidth > width ? ["the page scrolls sideways"] : [];
    for (const element of all("main *").filter(seen)) {
      const box = element.getBoundingClientRect();
      if (box.width > 1 && box.right > width + 1 && !scrolls(element.parentElement))
        found.push(`sticks out: ${label(element)}`);
      const cuts = style(element).overflowX === "hidden" || /^(H\d|P|LI|TH|TD)$/.test(element.tagName);
      if (cuts && element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1)
        found.push(`is cut, or too wide: ${label(element)}`);
    }
    return found;
  }

  // What is wrong with the element that has the focus; null when the walk is at its end.
  function focused() {
    const element = document.activeElement;
    if (element === document.body || reached.has(element)) return null;
    reached.add(element);
    const box = element.getBoundingClientRect();
    const { outlineStyle, outlineWidth } = style(element);
    if (outlineStyle === "none" || !parseFloat(outlineWidth)) return `no ring: ${label(element)}`;
    if (box.bottom <= 0 || box.top >= innerHeight || box.right <= 0 || box.left >= innerWidth)
      return `out of sight: ${label(element)}`;
    return "";
  }

  // What the walk has left out. Of a group of radio buttons it reaches the one that is chosen.
  const missed = () => void whole() ||
    all("a[href], button, input, select, summary, [tabindex='0']")
      .filter((element) => seen(element) && element.getBoundingClientRect().width > 1)
      .filter((element) => element.tabIndex >= 0 && !reached.has(element))
      .filter((element) => element.type !== "radio" || element.checked)
      .map(label);

  const moving = () =>
    all("*")
      .filter((element) => style(element).scrollBehavior === "smooth"
        || /[1-9]/.test(style(element).transitionDuration) || style(element).animationName !== "none")
      .map(label);

  // What paper would not show: parts that are cut, and parts that stay folded.
  function unprinted() {
    whole();
    const cut = all("article :is(pre, table, svg, img)").filter(seen).filter((part) =>
      part.getBoundingClientRect().right > innerWidth + 1
      || (part.tagName === "PRE" && part.scrollWidth > part.clientWidth + 1));
    const folded = all("article details:not([open], .helpers, .helpers *, table.ledger details)").filter((fold) =>
      [...fold.children].some((part) => part.tagName !== "SUMMARY" && !seen(part)));
    return [...cut.map((part) => `is cut: ${label(part)}`), ...folded.map((fold) => `is folded: ${label(fold)}`)];
  }

  // Leaves out what repeats: of colored words and of rows that differ in their text alone, in places
  // of the same kind, axe-core gets one. On a page with 20,000 of them it takes a minute. All is read
  // before anything is changed: after each change the browser would lay the page out anew.
  function dropRepeats() {
    whole();
    const kind = (element) => `${element.tagName}.${element.className}.${element.getAttribute("style")}`;
    const places = new Map();
    const place = (element) => {
      if (element === document.body) return "";
      if (!places.has(element)) places.set(element, place(element.parentElement) + kind(element));
      return places.get(element);
    };
    const known = new Set();
    const repeats = all(".highlight pre > span, table tbody tr").filter((part) => {
      const inside = [...part.querySelectorAll("*")].map((child) => kind(child) + seen(child));
      const key = [place(part.parentElement), kind(part), seen(part), ...inside].join();
      return known.has(key) || !known.add(key);
    });
    for (const part of repeats)
      if (part.tagName === "TR") part.remove();
      else part.replaceWith(part.textContent);
  }

  // Leaves in sight, of the parts with a text of their own, one for each way in which a text is painted:
  // its own style and the styles of all it stands in. For axe-core's rules on colors the others are like
  // it. Everything keeps its place. Returns the ways; those that are `known` stay out of sight.
  async function showEachPaint(known = []) {
    const sheet = document.getElementById("look-paint") ?? document.head.appendChild(document.createElement("style"));
    sheet.id = "look-paint";
    whole();
    const names = ["color", "backgroundColor", "backgroundImage", "opacity", "filter", "mixBlendMode", "fontSize",
      "fontWeight", "textShadow", "textDecorationLine", "position", "zIndex"];
    const ways = new Map();
    const way = (element) => {
      if (!element) return "";
      if (!ways.has(element)) {
        const own = style(element);
        const tag = `${element.tagName}${element.disabled ? " disabled" : ""}`;
        ways.set(element, `${way(element.parentElement)}|${tag} ${names.map((name) => own[name]).join()}`);
      }
      return ways.get(element);
    };
    const first = new Map();
    for (const element of all("body *")) {
      const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
      if (!(text || element.matches("input, select, textarea")) || !seen(element)) continue;
      if (!first.has(way(element))) first.set(way(element), element);
    }
    const short = await Promise.all([...first.keys()].map(async (way) => {
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(way));
      return String(new BigUint64Array(digest)[0]);
    }));
    for (const [number, part] of [...first.values()].entries()) {
      if (known.includes(short[number])) continue;
      part.dataset.look = "kept";
      for (let up = part.parentElement; up !== document.body; up = up.parentElement) up.dataset.look ??= "around";
    }
    for (const part of all("body, [data-look=around]"))
      for (const child of part.children) child.dataset.look ??= "hidden";
    sheet.textContent = "[data-look=hidden] { visibility: hidden !important; }";
    return short;
  }

  // All is as before showEachPaint.
  function showAll() {
    document.getElementById("look-paint").textContent = "";
    all("[data-look]").forEach((element) => delete element.dataset.look);
  }

  // The parts that scroll within themselves and do not take the focus: what is in them has to.
  const unreached = () => void whole() ||
    all("body *")
      .filter((element) => element.tabIndex < 0 && seen(element))
      .filter(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => scrollWidth > clientWidth || scrollHeight > clientHeight)
      .filter((element) => /auto|scroll/.test(style(element).overflow))
      .length;

  // The printed or typed tables that scroll, and the code of a table that breaks within a word.
  function tables() {
    whole();
    const shown = all("article table").filter((table) => !table.closest("details:not([open])"));
    const scrolls = shown.filter((table) => {
      let part = table.parentElement;
      while (part.tagName !== "ARTICLE" && part.scrollWidth <= part.clientWidth + 1) part = part.parentElement;
      return part.tagName !== "ARTICLE";
    });
    const range = document.createRange();
    const breaks = (node, from, to) => {
      range.setStart(node, from);
      range.setEnd(node, to);
      return new Set([...range.getClientRects()].filter((box) => box.width).map((box) => Math.round(box.top))).size > 1;
    };
    const broken = shown.flatMap((table) => [...table.querySelectorAll("code")]).filter((code) => {
      const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const node = texts.currentNode;
        for (const word of node.data.matchAll(/\w+/g))
          if (breaks(node, word.index, word.index + word[0].length)) return true;
      }
      return false;
    });
    return [...scrolls.map((table) => `scrolls: ${label(table)}`), ...broken.map((code) => `breaks: ${code.textContent}`)];
  }

  return { whole, tables, sideways, focused, missed, moving, unprinted, dropRepeats, showEachPaint, showAll, unreached };
})();
