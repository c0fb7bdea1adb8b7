// What the theme leaves out, on every page.

// Paper is white: a page is printed in the light scheme, whatever the screen shows.
let onScreen;
window.addEventListener("beforeprint", () => {
  onScreen = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
});
window.addEventListener("afterprint", () => {
  document.documentElement.dataset.theme = onScreen;
});

// A table that scrolls is within the reach of the keyboard, as the theme does for code.
document.addEventListener("DOMContentLoaded", () => {
  const sizes = new ResizeObserver((changes) => {
    for (const { target } of changes) target.tabIndex = target.scrollWidth > target.clientWidth ? 0 : -1;
  });
  document.querySelectorAll(".pst-scrollable-table-container").forEach((table) => sizes.observe(table));
});

// On a phone the keyboard follows into a sidebar that opens, and Escape leads out of it.
document.addEventListener("DOMContentLoaded", () => {
  for (const name of ["primary", "secondary"]) {
    const box = document.getElementById(`pst-${name}-sidebar-checkbox`);
    const button = document.querySelector(`.${name}-toggle`);
    const sidebar = document.querySelector(`.bd-sidebar-${name}`);
    if (!box || !button || !sidebar) continue;
    const covers = () => box.checked && getComputedStyle(sidebar).position === "fixed";
    button.addEventListener("click", () => {
      if (covers()) sidebar.querySelector("a").focus();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !covers()) return;
      box.checked = false;
      button.focus();
    });
  }
});
