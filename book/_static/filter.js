// A field over the tables of a page in which a reader looks for words: errors, symptoms, questions.
// Without JavaScript the tables stand there whole.
document.addEventListener("DOMContentLoaded", () => {
  const tables = [...document.querySelectorAll("table.filtered")];
  if (!tables.length) return;
  const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
  // A row that only names a group stands there as long as a row of its group does.
  const heads = rows.map((row) => [...row.cells].slice(1).every((cell) => !cell.textContent.trim()));
  const texts = rows.map((row) => Match.text(row.textContent));

  const box = document.querySelector(".table-filter");
  const field = box.querySelector("input");

  field.addEventListener("input", () => {
    const wanted = Match.words(field.value);
    let shown = 0;
    let head = -1;
    rows.forEach((row, n) => {
      if (heads[n]) head = n;
      row.hidden = wanted.length > 0 && (heads[n] || !Match.fits(texts[n], wanted));
      if (row.hidden || heads[n]) return;
      shown += 1;
      if (head >= 0 && row.parentNode === rows[head].parentNode) rows[head].hidden = false;
    });
    for (const table of tables) {
      table.hidden = [...table.tBodies[0].rows].every((row) => row.hidden);
      // A section that is a heading and its table goes with it.
      const section = table.closest("section");
      if (section.parentElement.matches("section") && !section.querySelector("div.cell"))
        section.hidden = table.hidden && !section.contains(box);
    }
    box.querySelector("output").value = wanted.length ? `${shown} found` : "";
  });
});
