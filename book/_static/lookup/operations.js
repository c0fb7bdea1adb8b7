// Filters the table of the operations (reference/operations). Without JavaScript all rows stand there.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector(".op-filter");
  const field = form.querySelector("input");
  const count = form.querySelector("output");
  const rows = [...document.querySelectorAll("table.operations tr[id]")];
  const texts = rows.map((row) => Match.text(`${row.dataset.name} ${row.textContent}`));

  function filter() {
    const words = Match.words(field.value);
    let shown = 0;
    rows.forEach((row, number) => {
      row.hidden = !Match.fits(texts[number], words);
      shown += !row.hidden;
    });
    for (const body of document.querySelectorAll("table.operations tbody")) {
      body.hidden = !body.querySelector("tr[id]:not([hidden])");
    }
    count.value = words.length ? (shown ? `${shown} of ${rows.length}` : "No operation has all these words.") : "";
  }

  // A link to a row leads there even if the filter hides it.
  function reveal() {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!row || !row.hidden) return;
    field.value = "";
    filter();
    row.scrollIntoView();
  }

  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", reveal);
  field.value = new URLSearchParams(location.search).get("find") || field.value;
  filter();
  reveal();
});
