// Narrows the table of "Which copy do I need?" on the home page: the first row that fits is the usual
// answer, the others also fit. Without JavaScript the whole table stands there, the form is hidden.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form.picker");
  if (!form) return;
  const table = document.querySelector("table.picker");
  const rows = [...table.querySelectorAll("tr[data-to]")];
  const hints = [...form.querySelectorAll("[data-when]")];
  const said = form.querySelector("output");
  const also = document.createElement("tr");
  also.innerHTML = '<th scope="rowgroup" colspan="4">Also fits</th>';
  also.className = "also";

  // What is not ticked stays as it is; an answer without a value does not matter.
  const choices = (changed = {}) =>
    ({ change: "no", ...Object.fromEntries(new FormData(form)), ...changed });
  const fitting = (wanted) =>
    rows.filter(({ dataset }) => Object.entries(wanted).every(([name, value]) => !value || dataset[name] === value));

  function choose() {
    const fits = fitting(choices());
    rows.forEach((row) => {
      row.hidden = !fits.includes(row);
      row.classList.toggle("usual", row === fits[0]);
    });
    for (const body of table.tBodies) body.hidden = !fits.some((row) => body.contains(row));
    table.hidden = fits.length === 0;
    also.remove();
    if (fits.length > 1) fits[1].before(also);
    const hint = fits.length ? null : hints.find(({ dataset }) =>
      Object.entries(JSON.parse(dataset.when)).every(([name, value]) => choices()[name] === value));
    hints.forEach((one) => { one.hidden = one !== hint; });
    said.value = fits.length ? `The usual answer${fits.length > 1 ? `, and ${fits.length - 1} more` : ""}:` : "";
    // A choice that leads nowhere, as the others stand, is dim; it can be made, and says why.
    for (const input of form.querySelectorAll("input")) {
      // Another source brings its own result with it, see below.
      const other = input.name === "source" ? { to: "" } : {};
      const nowhere = fitting(choices({ ...other, [input.name]: input.value })).length === 0;
      input.parentElement.classList.toggle("nowhere", nowhere);
    }
  }

  form.addEventListener("input", ({ target }) => {
    // Another source asks for another result where the one that was chosen cannot come of it.
    if (target.name === "source" && !fitting({ source: target.value, to: choices().to }).length) {
      const first = rows.find(({ dataset }) => dataset.source === target.value);
      form.querySelector(`[name="to"][value="${first.dataset.to}"]`).checked = true;
    }
    choose();
  });
  form.addEventListener("reset", () => setTimeout(choose));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  table.classList.add("narrowed");
  choose();
});
