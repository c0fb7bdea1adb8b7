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

// What scrolls within itself is within the reach of the keyboard. All are measured before any is
// changed: the browser lays out the page once, not once for each cell.
document.addEventListener("DOMContentLoaded", () => {
  const sizes = new ResizeObserver((changes) => {
    const parts = changes.map(({ target }) => target);
    const scrolls = (part) => part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight;
    const changed = parts.filter((part) => scrolls(part) !== part.hasAttribute("tabindex"));
    for (const part of changed) {
      if (part.hasAttribute("tabindex")) part.removeAttribute("tabindex");
      else part.tabIndex = 0;
    }
  });
  const scrolling = "pre, .cell_output > .output, .picture, .pst-scrollable-table-container, .cell_output:has(> img)";
  document.querySelectorAll(scrolling).forEach((part) => sizes.observe(part));
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

// The chapter that is read stands in sight in the sidebar: the theme restores where it was scrolled to.
document.addEventListener("DOMContentLoaded", () => {
  const sidebar = document.querySelector(".bd-sidebar-primary");
  const here = sidebar?.querySelector("li.current.active > a");
  if (!here) return;
  const [outer, inner] = [sidebar, here].map((element) => element.getBoundingClientRect());
  if (inner.top < outer.top || inner.bottom > Math.min(outer.bottom, innerHeight))
    sidebar.scrollTop += inner.top - outer.top - sidebar.clientHeight / 2;
});

// A button that shows a picture alone says what it does when the mouse rests on it.
document.addEventListener("DOMContentLoaded", () => {
  const names = { "light/dark": "Light, dark, or as the system", "Launch interactive content": "Run in Colab" };
  for (const button of document.querySelectorAll("button[aria-label]")) {
    const name = button.getAttribute("aria-label");
    button.setAttribute("aria-label", names[name] ?? name);
    if (!button.dataset.bsOriginalTitle || names[name]) button.title = names[name] ?? name;
  }
});
