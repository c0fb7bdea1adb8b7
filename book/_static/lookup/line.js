// "What does my line do?" (reference/line): reads a line, follows the machine of chains, and shows
// each step. The line is never run: it is taken apart here, and what is not known is not guessed.
document.addEventListener("DOMContentLoaded", async () => {
  const form = document.querySelector(".line-tool");
  if (!form) return;
  const field = form.querySelector("input");
  field.value = new URLSearchParams(location.search).get("line") || field.value;
  const bytes = Uint8Array.from(atob(window.CHAINS), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const M = JSON.parse(await new Response(stream).text());
  // A phone paints and listens between two long pieces of work.
  const pause = () => new Promise((done) => setTimeout(done));
  await pause();
  const STEPS = Object.keys(M.steps);
  const SIZE = { bool: 1, float16: 2, bfloat16: 2, float32: 4, float64: 8, int64: 8, complex64: 8, complex128: 16 };
  const MOST = 40;
  const problem = document.getElementById("line-problem");
  const answer = document.querySelector(".line-answer");
  // A state: graph, dtype, layout, the number of its group and its place in the columns of that.
  const STATES = M.groups.flatMap(([graph, dtype, set], group) => M.layout_sets[set].map((layout, place) => [graph, dtype, layout, group, place]));
  const numberOf = new Map(STATES.map((row, n) => [row.slice(0, 3).join(), n]));

  // --- Reading a line

  class Problem extends Error {}

  function tokens(text) {
    const found = [];
    const pattern = /\s*(?:([A-Za-z_]\w*)|(\d+(?:\.\d*)?)|('[^']*'|"[^"]*")|([-()[\].,*=:+]))/y;
    let at = 0;
    while (text.slice(at).trim()) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (!match) throw new Problem(`“${text.slice(at).trim()[0]}” is not understood here. A line is a chain of calls on x, such as x.detach().clone().`);
      found.push({ text: match[1] || match[2] || match[3] || match[4], name: Boolean(match[1]), from: at, to: pattern.lastIndex });
      at = pattern.lastIndex;
    }
    return found;
  }

  // Two ways to write the same step are one: spaces and quotes do not matter.
  const plain = (step) => step.replace(/"/g, "'").replace(/\s+/g, "").replace(/,\)/g, ")");
  const known = new Map(STEPS.map((step) => [plain(step), step]));
  for (const [other, step] of Object.entries(M.aliases)) known.set(plain(other), step);
  const names = [...new Set([...known.keys()].map((step) => step.replace(/\(.*/, "").replace(/^v\./, ".")))].filter((name) => /^[.\w]+$/.test(name) && name !== "v");

  function distance(a, b) {
    let row = [...b].map((_, n) => n + 1);
    row.unshift(0);
    [...a].forEach((letter, i) => {
      const next = [i + 1];
      [...b].forEach((other, j) => next.push(Math.min(next[j] + 1, row[j + 1] + 1, row[j] + (letter !== other))));
      row = next;
    });
    return row[b.length];
  }

  function nearest(name) {
    const [best] = names.map((other) => [distance(name, other), other]).sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1));
    return best && best[0] <= Math.max(1, name.length / 3) ? ` The nearest that is known: ${best[1]}.` : "";
  }

  function forms(name) {
    if (name.startsWith("[")) {
      const found = [...known.keys()].filter((step) => step.startsWith("v[")).map((step) => step.slice(1));
      const [best] = found.map((other) => [distance(plain(name), other), other]).sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1));
      return ` The nearest that is known: ${best[1]}. Known: ${STEPS.filter((step) => step.startsWith("v[")).map(label).join(" ")}.`;
    }
    const found = [...known.keys()].filter((step) => step.replace(/^v\./, ".").startsWith(`${name}(`));
    return found.length ? ` Known: ${[...new Set(found.map((step) => known.get(step)))].map(label).join(", ")}.` : nearest(name);
  }

  function read(text) {
    if (!text.trim()) throw new Problem("Type a line, such as x.detach().clone().");
    if (/;|\n/.test(text.trim())) throw new Problem("This is more than one statement. One expression is understood, such as x.detach().clone().");
    if (text.length > 2000) throw new Problem("The line is too long: at most 2,000 characters are read.");
    const list = tokens(text);
    let depth = [];
    for (const token of list) {
      if ("([".includes(token.text)) depth.push(token.text);
      if (")]".includes(token.text) && depth.pop() !== (token.text === ")" ? "(" : "[")) throw new Problem(`A bracket “${token.text}” is closed that was not opened.`);
    }
    if (depth.length) throw new Problem(`A bracket “${depth.pop()}” is not closed.`);
    if (list[1]?.text === "=") throw new Problem("This is an assignment: write only what stands to the right of “=”.");
    let at = 0;
    const peek = () => (list[at] || { text: "", name: false });
    const steps = [];
    steps.attributes = []; // as they are written, for the messages

    // The text of the brackets that open here, each known value replaced.
    function closing(from) {
      let open = 0;
      for (let n = from; n < list.length; n++) {
        if ("([".includes(list[n].text)) open++;
        if (")]".includes(list[n].text) && --open === 0) return n;
      }
      return list.length;
    }
    const source = (from, to) => list.slice(from, to).map((token) => token.text).join("");

    function add(form, name) {
      const step = known.get(plain(form));
      if (!step) throw new Problem(`“${name}” is not known in this form.${forms(name.replace(/\(.*/, ""))}`);
      steps.push(step);
      steps.attributes[steps.length] = /^\.?(\w+)/.exec(name)?.[1];
      if (steps.length > MOST) throw new Problem(`A chain of more than ${MOST} steps is not followed.`);
    }

    function value() {
      let from = at;
      if (peek().text === "(") {
        at++;
        value();
        if (peek().text !== ")") throw new Problem(`“${peek().text}” stands where “)” is expected.`);
        at++;
      } else if (/^\d/.test(peek().text) && list[at + 1]?.text === "*") {
        const number = list[at].text;
        at += 2;
        value();
        return add(`${number}*v`, `${number} * …`);
      } else if (peek().name && peek().text === "x" ) {
        at++;
      } else if (peek().name) {
        let name = list[at++].text;
        while (peek().text === "." && list[at + 1]?.name) {
          name += `.${list[at + 1].text}`;
          at += 2;
        }
        if (peek().text !== "(") throw new Problem(`A line starts from x; “${name}” is not x.${nearest(name)}`);
        const end = closing(at);
        if (![...known.keys()].some((step) => step.startsWith(`${name}(`))) throw new Problem(`“${name}” is not known here, and nothing is run as code.${nearest(name)}`);
        at++;
        value();
        const rest = source(at, end);
        if (rest && rest[0] !== ",") throw new Problem(`“${rest}” stands where “)” is expected.`);
        at = end + 1;
        add(`${name}(v${rest})`, `${name}(…${rest})`);
      } else {
        throw new Problem(peek().text ? `“${peek().text}” stands where x is expected.` : "The line ends where x is expected.");
      }
      for (;;) {
        if (peek().text === "." && list[at + 1]?.name) {
          const name = list[at + 1].text;
          const receiver = source(from, at);
          at += 2;
          if (peek().text !== "(") {
            add(`v.${name}`, `.${name}`);
            continue;
          }
          const end = closing(at);
          let inner = source(at + 1, end);
          if (inner === receiver) inner = "v";
          at = end + 1;
          if (name === "cuda" && !inner) steps.push("v.cuda()");
          else if (name === "to" && plain(inner) === "'cuda'") steps.push("v.cuda()");
          else add(`v.${name}(${inner})`, `.${name}(${inner})`);
        } else if (peek().text === "[") {
          const end = closing(at);
          const inner = source(at, end + 1);
          at = end + 1;
          add(`v${inner}`, inner);
        } else if (peek().text === "*") {
          at++;
          const number = peek().text;
          at++;
          add(`v*${number}`, `* ${number}`);
        } else return;
        if (steps.length > MOST) throw new Problem(`A chain of more than ${MOST} steps is not followed.`);
      }
    }
    value();
    if (at < list.length) {
      throw new Problem(`“${text.slice(list[at].from).trim()}” is not understood after the chain.`);
    }
    return steps;
  }

  // --- Following the machine

  function step(here, name, quiet) {
    const [, dtypeBefore, layoutBefore, group, place] = STATES[here];
    const columns = (quiet && M.no_grad[name][group]) || M.steps[name][group];
    const [outcome, layout] = columns.map((n) => (Array.isArray(M.columns[n]) ? M.columns[n][place] : M.columns[n]));
    if (!outcome) return null;
    const found = M.outcomes[outcome - 1];
    if (found[0] === "raises") return { raises: M.texts[found[1]] };
    const [graph, dtype, move, node, said] = found;
    const key = [graph, dtype < 0 ? dtypeBefore : dtype, layout ? layout - 1 : layoutBefore];
    return { to: numberOf.get(key.join()), move, node: M.texts[node], said: M.texts[said] };
  }

  function state(number) {
    const [graph, dtype, layout] = STATES[number];
    const [kind, shared, itself, ...rest] = M.graphs[graph];
    const [shape, strides, offset, size] = M.layouts[layout];
    const tensor = kind === "tensor" || kind === "parameter";
    const [leaf, flag, view, reaches, counter] = tensor ? rest : [];
    return { kind, tensor, shared, itself, leaf, flag, view, reaches, counter, dtype: M.dtypes[dtype], shape, strides, offset, size };
  }

  // What other releases do otherwise: by release, then by state, step and mode.
  const OTHERS = Object.entries(M.releases).map(([release, found]) => [release, new Map(found.steps.map(([here, n, quiet, words]) => [`${here} ${STEPS[n]} ${quiet}`, found.words[words]]))]);
  const otherwise = (here, name, quiet) => OTHERS.map(([release, found]) => [release, found.get(`${here} ${name} ${Number(quiet)}`)]).filter(([, words]) => words);

  // A GPU is not run: its rows follow from those of the CPU by these rules.
  const TO_ARRAY = ["v.numpy()", "np.array(v)", "np.asarray(v)"];
  function onDevice(here, device, name, quiet) {
    const value = state(here);
    const tensor = value.tensor;
    const copied = "v.to('cpu', copy=True)";
    if (name === "v.cuda()") {
      if (!tensor) return { raises: `AttributeError: '${value.kind === "array" ? "numpy.ndarray" : value.kind === "list" ? "list" : value.dtype}' object has no attribute 'cuda'`, device };
      return { ...step(here, device === "cuda" ? "v.cpu()" : copied, quiet), device: "cuda", derived: true };
    }
    if (device === "cpu") return { ...step(here, name, quiet), device };
    if (name === "v.cpu()" || name === copied) return { ...step(here, copied, quiet), device: "cpu", derived: true };
    const found = step(here, name, quiet);
    if (!found) return null;
    if (found.raises) return { ...found, device, derived: true };
    if (TO_ARRAY.includes(name)) return { raises: "TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.", device, derived: true };
    if (name === "v.numpy(force=True)") {
      const middle = step(here, copied, quiet);
      if (!middle || middle.raises) return null;
      return { ...step(middle.to, name, quiet), move: 2, device: "cpu", derived: true };
    }
    return { ...found, device: state(found.to).tensor ? "cuda" : "cpu", derived: true };
  }

  const IN_PLACE = ["v.requires_grad_()", "v.requires_grad_(False)", "v.detach_()"];
  // What changed x or the values (rounding, doubling), the narrowest dtype that holds them, and which
  // elements of x they are: two chains have the same result only if these are the same.
  const HOLD = {
    float16: ["float16", "float32", "float64", "float"], bfloat16: ["bfloat16", "float32", "float64", "float"], float32: ["float32", "float64", "float"], float64: ["float64", "float"], int64: ["int64", "int"],
    complex64: ["complex64", "complex128", "complex"], complex128: ["complex128", "complex"], bool: [...Object.keys(SIZE), "float", "int", "complex"],
  };
  const count = (shape) => shape.reduce((a, b) => a * b, 1);
  function elements(before, after, items, name) {
    let { changes, narrow, of } = items;
    if (name === "v[0]" || name === "v[[0, 1]]") of = of.slice(0, count(after.shape));
    if (M.slices[name]) of = M.slices[name].map((n) => of[n]);
    if (name === "v.expand(2, -1, -1)" && before.shape.length === 2) of = [...of, ...of];
    if (name === "v.t()" && before.shape.length === 2) {
      const [rows, columns] = before.shape;
      of = of.map((_, n) => of[(n % rows) * columns + Math.floor(n / rows)]);
    }
    if (before.itself && IN_PLACE.includes(name)) changes = `${changes}x;`;
    if (name === "v * 2") [changes, narrow] = [`${changes}* 2;`, after.dtype];
    else if (!HOLD[narrow]?.includes(after.dtype)) {
      narrow = { float: "float64", int: "int64", complex: "complex128" }[after.dtype] || after.dtype;
      changes = `${changes}${narrow};`;
    }
    return { changes, narrow, of };
  }
  const same = (items) => `${items.changes}|${items.narrow}|${items.of}`;

  function follow(steps, start, device, quiet) {
    let here = start;
    let node = state(here).kind === "tensor" && state(here).flag && !state(here).leaf ? "MulBackward0" : "";
    let items = { changes: "", narrow: state(here).dtype, of: [...Array(count(state(here).shape)).keys()] };
    let bytes = 0;
    const rows = [{ name: "x", here, node, device, bytes, items, move: 0 }];
    for (const name of steps) {
      const found = onDevice(here, device, name, quiet);
      if (!found || (!found.raises && found.to === undefined)) return { rows, unknown: name };
      if (found.raises) {
        const attribute = steps.attributes?.[rows.length];
        const text = attribute ? found.raises.replace(/no attribute '\w+'/, `no attribute '${attribute}'`) : found.raises;
        return { rows, raises: text, name, derived: found.derived };
      }
      const [before, after] = [state(here), state(found.to)];
      if (after.dtype === "memoryview") return { rows, unknown: name };
      items = elements(before, after, items, name);
      node = found.node === "kept" ? node : found.node;
      if (found.move === 2) bytes += size(after);
      ({ to: here, device } = found);
      rows.push({ name, here, node, device, bytes, items, move: found.move, said: found.said, derived: found.derived });
    }
    return { rows };
  }

  const size = (value) => (SIZE[value.dtype] || 0) * value.size;

  // A queue that gives the least entry first.
  function heap(less) {
    const all = [];
    return {
      get length() {
        return all.length;
      },
      push(entry) {
        let n = all.push(entry) - 1;
        for (let up = (n - 1) >> 1; n && less(all[n], all[up]) < 0; n = up, up = (n - 1) >> 1) [all[n], all[up]] = [all[up], all[n]];
      },
      pop() {
        const [first, last] = [all[0], all.pop()];
        if (!all.length) return first;
        all[0] = last;
        for (let n = 0; ; ) {
          let next = 2 * n + 1;
          if (next + 1 < all.length && less(all[next + 1], all[next]) < 0) next++;
          if (next >= all.length || less(all[n], all[next]) <= 0) return first;
          [all[n], all[next], n] = [all[next], all[n], next];
        }
      },
    };
  }

  // The chains with the same result that have the fewest steps, and that copy the fewest bytes.
  function cheaper(rows, start, quiet) {
    const target = rows[rows.length - 1];
    const tried = rows.some((row) => row.device === "cuda") ? [...STEPS, "v.cuda()"] : STEPS;
    const best = {};
    for (const by of ["steps", "bytes"]) {
      const cost = by === "steps" ? (entry) => [entry.path.length, entry.bytes] : (entry) => [entry.bytes, entry.path.length];
      const queue = heap((a, b) => cost(a)[0] - cost(b)[0] || cost(a)[1] - cost(b)[1] || a.number - b.number);
      const done = new Set();
      let number = 0;
      queue.push({ here: start, items: rows[0].items, path: [], bytes: 0, node: rows[0].node, device: rows[0].device, number });
      while (queue.length) {
        const entry = queue.pop();
        const key = `${entry.here}|${entry.device}|${same(entry.items)}`;
        if (done.has(key)) continue;
        done.add(key);
        if (entry.here === target.here && entry.device === target.device && same(entry.items) === same(target.items)) {
          best[by] = entry;
          break;
        }
        if (entry.path.length >= Math.min(rows.length - 1, 4)) continue;
        if (by === "bytes" && entry.bytes > target.bytes) continue;
        const value = state(entry.here);
        for (const name of tried) {
          const found = onDevice(entry.here, entry.device, name, quiet);
          if (!found || found.raises || found.to === undefined) continue;
          const after = state(found.to);
          const items = elements(value, after, entry.items, name);
          if (!target.items.changes.startsWith(items.changes) || done.has(`${found.to}|${found.device}|${same(items)}`)) continue;
          const bytes = entry.bytes + (found.move === 2 ? size(after) : 0);
          const node = found.node === "kept" ? entry.node : found.node;
          queue.push({ here: found.to, items, path: [...entry.path, name], bytes, node, device: found.device, derived: entry.derived || found.derived, warns: entry.warns || Boolean(found.said), number: ++number });
        }
      }
    }
    return best;
  }

  // --- Showing

  const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const label = (name) => name.replace(/^v\b/, "").replace(/\(v\b/, "(…") || name;
  const written = (steps) => steps.reduce((text, name) => name.replace(/\bv\b/g, () => (/\*/.test(text) && /^v[.[]/.test(name) ? `(${text})` : text)), "x");
  const code = (text) => `<code>${escape(text)}</code>`;

  function facts(row, source) {
    const value = state(row.here);
    const list = [];
    if (value.kind === "list" || value.kind === "number") {
      list.push(["It is", value.kind === "list" ? `a list of Python ${value.dtype}s` : `a ${value.dtype}`], ["Memory", "its own"]);
    } else {
      const own = value.itself ? "it is x itself" : value.shared ? "that of x" : "its own";
      list.push(["It is", { tensor: "a tensor", parameter: "a Parameter", array: "a NumPy array" }[value.kind]], ["Memory", own]);
      list.push(["Layout", `shape (${value.shape.join(", ")}), strides (${value.strides.join(", ")})${value.tensor ? `, offset ${value.offset}` : ""}${value.shape.length === 4 && value.strides[1] === 1 ? ": channels_last" : ""}`]);
      list.push(["dtype, device", `${value.dtype}, ${row.device === "cuda" ? "cuda:0" : "cpu"}`]);
      if (value.tensor) {
        list.push(["Graph", `${value.leaf ? "a leaf" : "not a leaf"}, requires_grad ${value.flag ? "True" : "False"}${row.node ? `, node ${row.node}` : ", no node"}`]);
        list.push(["Gradients reach x", value.reaches ? "yes" : "no"]);
      }
      let write = "no";
      if (value.itself) write = "yes: it is x";
      else if (value.shared) write = !value.tensor || !source.tensor ? "yes; autograd does not see a write through NumPy" : value.counter ? "yes, and autograd notices" : "yes, and autograd does not notice";
      list.push(["A write shows in x", write]);
    }
    list.push(["Bytes copied so far", String(row.bytes)]);
    if (row.said) list.push(["Warns", row.said]);
    return list;
  }

  function sentence(row) {
    const value = state(row.here);
    const what = { tensor: "A tensor", parameter: "A Parameter", array: "An array", list: "A list", number: "A number" }[value.kind];
    const memory = value.itself ? "the object x itself" : value.shared ? "on the memory of x" : "with its own memory";
    return `${what} ${memory}; gradients ${value.reaches ? "reach x" : "do not reach x"}.`;
  }

  function picture(row, source) {
    const value = state(row.here);
    const box = (kind, left, top, text) => `<rect class="${kind}" x="${left}" y="${top}" width="120" height="30" rx="4"/><text x="${left + 60}" y="${top + 20}">${escape(text)}</text>`;
    let svg = box("storage", 10, 60, "memory of x") + box("tensor", 10, 8, value.itself ? "x = result" : "x") + '<path class="use" d="M70 38V60"/>';
    if (!value.itself) {
      const kind = { tensor: "result", parameter: "result", array: "array", list: "list", number: "number" }[value.kind];
      svg += box("tensor", 190, 8, kind);
      svg += value.shared ? '<path class="use" d="M230 38L130 70"/>' : `${box("storage", 190, 60, "own memory")}<path class="use" d="M250 38V60"/>`;
      if (value.reaches) svg += '<path class="gradient" d="M190 16H130"/><path class="tip" d="M130 16l8-4v8z"/>';
    }
    return `<svg class="picture line-picture" viewBox="0 0 320 98" role="img" aria-label="${escape(sentence(row))}">${svg}</svg>`;
  }

  const REMEDIES = [
    [/Can't call numpy\(\) on Tensor that requires grad/, "x.detach().numpy() shares the memory; x.detach().clone().numpy() copies."],
    [/deepcopy protocol/, "Write detach().clone() instead of deepcopy."],
    [/requires_grad flags of leaf/, "Make a leaf first: detach()."],
    [/floating point/, "Convert first: float()."],
    [/view size is not compatible/, "Write reshape(-1), which copies where no view is possible."],
    [/Can't detach views in-place/, "Write detach()."],
    [/cannot be converted to Scalar|size 1|only one element/, "Write tolist(), or pick one element first."],
    [/export tensors that require/, "Write detach() before it."],
    [/cuda:0 device/, "Write cpu() before it."],
    [/'numpy.ndarray' object has no attribute/, "This is an array: torch.from_numpy() makes a tensor of it, which shares its memory."],
    [/object has no attribute/, "This is no tensor any more: torch.tensor() makes one of it."],
    [/ScalarType BFloat16/, "NumPy has no bfloat16. Convert first: float()."],
    [/expected np.ndarray/, "from_numpy() takes arrays only. A tensor needs no conversion."],
  ];

  // The claims that say what a step does.
  function behind(row, before, quiet) {
    const value = state(before.here);
    const holds = {
      tensor: value.tensor, array: value.kind === "array", grad: value.flag && !quiet, quiet: value.flag && quiet, plain: !value.flag,
      nonleaf: value.leaf === false, part: value.size > count(value.shape), images: value.shape.length === 4,
      itself: row.move === 0, shared: row.move === 1, copy: row.move === 2, said: Boolean(row.said),
    };
    const found = Object.entries(M.behind[row.name] || {}).filter(([words]) => [...(words.includes("array") ? [] : ["tensor"]), ...words.split(" ").filter(Boolean)].every((word) => holds[word]));
    return [...new Set(found.map(([, claim]) => claim))];
  }

  const others = (here, name, quiet) => otherwise(here, name, quiet).map(([release, words]) => `<p class="line-other">torch ${release}: ${escape(words)}</p>`).join("");

  const FLOATS = ["float16", "bfloat16", "float32", "float64"];

  // What stands under a step: its claims, and what other releases do.
  function notes(row, before, quiet) {
    if (!before || row.derived) return "";
    const claims = behind(row, before, quiet).map((claim) => `<a href="../${M.claims[claim]}">${code(claim)}</a>`);
    // Claims speak of floating-point tensors, and of grad mode (reference/scope).
    const value = state(before.here);
    const proved = !quiet && (!value.tensor || FLOATS.includes(value.dtype));
    return (claims.length ? `<p class="line-claims">${proved ? "Proved by" : "See"} ${claims.join(", ")}</p>` : "") + others(before.here, row.name, quiet);
  }

  // Steps of the same kind: where one is not known, another may be.
  const ALIKE = [["v[0]", "v[[0, 1]]", ...Object.keys(M.slices)], ["v.t()", "v.expand(2, -1, -1)", "v.view(-1)", "v.reshape(-1)"], ["np.array(v)", "v.clone()"]];
  function unknown(name, row, quiet) {
    const value = state(row.here);
    const alike = [...(ALIKE.find((steps) => steps.includes(name)) || []), ...ALIKE[2]];
    const next = alike.find((other) => other !== name && step(row.here, other, quiet));
    const why = M.slices[name] ? " A slice is known of a contiguous value of shape 2×3 alone." : value.kind === "number" ? ` A step after a Python ${value.dtype} is not followed.` : "";
    return `<p class="line-unknown">What ${code(label(name))} does with this value is not known here.${why}${next ? ` The nearest that is known of it: ${code(label(next))}.` : ""}</p>`;
  }

  function show() {
    const get = (name) => form.elements[name];
    const [kind, device, quiet] = [get("source").value, get("device").value, get("quiet").checked];
    problem.textContent = "";
    answer.innerHTML = "";
    const start = M.start[`${kind} ${get("dtype").value}`];
    if (start === undefined) {
      if (kind.startsWith("images")) return (problem.textContent = "Of a tensor of this shape only float32 is known: choose float32.");
      if (kind === "array") return (problem.textContent = "NumPy has no bfloat16: choose another dtype.");
      return (problem.textContent = "Only a floating-point or complex tensor can require grad: choose another dtype.");
    }
    if (kind === "array" && device === "cuda") return (problem.textContent = "A NumPy array is always in the memory of the CPU.");
    let steps;
    try {
      steps = read(field.value);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return (problem.textContent = error.message);
    }
    const found = follow(steps, start, device, quiet);
    const { rows } = found;
    const source = state(start);
    let html = "<ol class='line-steps' start='0'>";
    for (const row of rows) {
      const idle = row !== rows[0] && row.move === 0 && row.here === rows[rows.indexOf(row) - 1].here;
      html += `<li><h2>${code(row.name === "x" ? "x" : label(row.name))}${row.derived ? " <em>not run</em>" : ""}</h2>${picture(row, source)}<dl>${facts(row, source).map(([name, text]) => `<div><dt>${name}</dt><dd>${escape(text)}</dd></div>`).join("")}</dl>${idle ? `<p>${code(label(row.name))} returns the object itself here: it is superfluous.</p>` : ""}${notes(row, rows[rows.indexOf(row) - 1], quiet)}</li>`;
    }
    if (found.raises) {
      const link = M.links?.[found.raises];
      const remedy = REMEDIES.find(([pattern]) => pattern.test(found.raises));
      html += `<li class="line-raises"><h2>${code(label(found.name))} raises${found.derived ? " <em>not run</em>" : ""}</h2><pre>${escape(found.raises)}</pre>${remedy ? `<p>${escape(remedy[1])}</p>` : ""}<p><a href="${link ? `../${link}` : "errors.html"}">Errors and warnings</a></p>${found.derived ? "" : others(rows[rows.length - 1].here, found.name, quiet)}</li>`;
    }
    html += "</ol>";
    if (found.unknown) html += unknown(found.unknown, rows[rows.length - 1], quiet);
    if (!found.raises && !found.unknown && steps.length) {
      const derived = rows.some((row) => row.derived || row.device === "cuda");
      html += `<p class="line-sum"><strong>${escape(sentence(rows[rows.length - 1]))}</strong> ${rows[rows.length - 1].bytes} bytes copied.</p>`;
      if (derived) html += "<p>Steps on a GPU follow from the rules of the CPU; they were <em>not run</em>.</p>";
      html += shorter(rows, start, quiet, steps);
    }
    answer.innerHTML = html;
  }

  function shorter(rows, start, quiet, steps) {
    const last = rows[rows.length - 1];
    const best = cheaper(rows, start, quiet);
    const lines = [];
    const differ = (entry) => (entry.node !== last.node ? ` It differs in the node: ${entry.node || "none"} instead of ${last.node || "none"}.` : "");
    const line = (what, entry) => `${what} with the same result: ${code(written(entry.path))}, ${entry.bytes} bytes copied${entry.derived ? ", <em>not run</em>" : ""}.${entry.warns ? " It warns." : ""}${differ(entry)}`;
    if (best.steps && best.steps.path.length < steps.length) lines.push(line("Shortest", best.steps));
    if (best.bytes && best.bytes.bytes < last.bytes && written(best.bytes.path) !== written(best.steps?.path || [])) lines.push(line("Cheapest", best.bytes));
    if (!lines.length) lines.push("No shorter and no cheaper chain of these steps has the same result.");
    return `<ul>${lines.map((line) => `<li>${line}</li>`).join("")}</ul><p>The same result: the same values, class, dtype and layout, memory of the same kind, and the same place in the graph.</p>`;
  }

  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.querySelector(".line-buttons").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    let steps = [];
    try {
      steps = read(field.value);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
    if (button.dataset.step) steps.push(button.dataset.step);
    else steps.pop();
    field.value = written(steps);
    show();
  });
  await pause();
  show();
  answer.removeAttribute("aria-busy");
});
