// Filters the table of claims (reference/claims). Without JavaScript the whole table stands there.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector(".ledger-filter");
  if (!form) return;
  const { chapter, status } = form.elements;
  const count = form.querySelector("output");

  function filter() {
    let shown = 0;
    for (const body of document.querySelectorAll("table.ledger tbody")) {
      const here = !chapter.value || body.dataset.chapter === chapter.value;
      let rows = 0;
      for (const row of body.querySelectorAll("tr[data-status]")) {
        row.hidden = !here || (status.value && !row.dataset.status.split(" ").includes(status.value));
        rows += !row.hidden;
      }
      body.hidden = rows === 0;
      shown += rows;
    }
    count.value = chapter.value || status.value ? `${shown} shown` : "";
  }

  // A link to a claim leads to its row even if the filter hides it.
  function reveal() {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!row || !row.hidden) return;
    form.reset();
    filter();
    row.scrollIntoView();
  }

  form.addEventListener("input", filter);
  window.addEventListener("hashchange", reveal);
  form.hidden = false;
  filter();
  reveal();
});
