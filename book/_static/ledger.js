// Filters the table of claims (reference/claims). Without JavaScript all chapters stand there, folded.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector(".ledger-filter");
  if (!form) return;
  const { chapter, status } = form.elements;
  const count = form.querySelector("output");

  function filter() {
    let shown = 0;
    for (const group of document.querySelectorAll(".ledger-chapter")) {
      const here = !chapter.value || group.dataset.chapter === chapter.value;
      let rows = 0;
      for (const row of group.querySelectorAll("tr[data-status]")) {
        row.hidden = !here || (status.value && !row.dataset.status.split(" ").includes(status.value));
        rows += !row.hidden;
      }
      group.hidden = rows === 0;
      group.open = Boolean(chapter.value || status.value);
      shown += rows;
    }
    count.value = chapter.value || status.value ? `${shown} shown` : "";
  }

  // A link to a claim leads to its row, whatever is folded or hides it.
  function reveal() {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const group = row?.closest(".ledger-chapter");
    if (!group) return;
    if (row.hidden) {
      form.reset();
      filter();
    }
    group.open = true;
    row.scrollIntoView();
  }

  form.addEventListener("input", filter);
  window.addEventListener("hashchange", reveal);
  reveal();
});
