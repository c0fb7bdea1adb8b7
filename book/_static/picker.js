// Narrows the table of "Which copy do I need?" on the home page. Without JavaScript the whole table
// stands there and the form is hidden.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form.picker");
  if (!form) return;
  const table = document.querySelector("table.picker");
  const rows = [...table.querySelectorAll("tr[data-cost]")];
  const hints = [...form.querySelectorAll("[data-when]")];
  const count = form.querySelector("output");

  function choose() {
    const choices = Object.fromEntries([...new FormData(form)].filter(([, value]) => value));
    const cheapest = choices.cheapest;
    delete choices.cheapest;
    const wanted = Object.entries(choices);
    let fits = rows.filter((row) =>
      wanted.every(([name, value]) => row.dataset[name].split(" ").includes(value)));
    if (cheapest) {
      const least = Math.min(...fits.map((row) => Number(row.dataset.cost)));
      fits = fits.filter((row) => Number(row.dataset.cost) === least);
    }
    rows.forEach((row) => { row.hidden = !fits.includes(row); });
    for (const body of table.tBodies) {
      body.hidden = [...body.querySelectorAll("tr[data-cost]")].every((row) => row.hidden);
    }
    table.hidden = fits.length === 0;
    hints.forEach((hint) => { hint.hidden = true; });
    if (fits.length === 0) {
      const hint = hints.find(({ dataset }) =>
        Object.entries(JSON.parse(dataset.when)).every(([name, value]) => choices[name] === value));
      if (hint) hint.hidden = false;
      count.value = "";
    } else {
      count.value = fits.length === 1 ? "1 expression fits:" : `${fits.length} expressions fit:`;
    }
  }

  form.addEventListener("input", choose);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  choose();
});
