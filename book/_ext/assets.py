"""The assets of a page: one style sheet with the rules in use, and one script.

The theme ships icon fonts, and some twenty style sheets and scripts that block the first paint.
The template `layout.html` asks for two files instead, `site.css` and `site.js`. They are put
together here, after each build, from the theme's own files and those of `_static/`:

* a CSS rule stays only if the pages or the scripts know each name in its selector;
* an icon of the theme (`<i class="fa-solid fa-bars">`) becomes a mask made of its path;
* what the theme's script asks of each cell by itself, `page.js` asks of all at once (SLOW);
* what no page loads any more is removed.
"""

import hashlib
import re
import shutil
from pathlib import Path

import tinycss2
from sphinx.application import Sphinx
from sphinx.util import logging

# The theme's files that every page needs, in their order. Those of book/_static/ come after them.
STYLES = (
    "basic.css",
    "styles/bootstrap.css",
    "styles/pydata-sphinx-theme.css",
    "pygments.css",
    "styles/sphinx-book-theme.css",
    "copybutton.css",
    "mystnb.*.css",
)
SCRIPTS = (
    "documentation_options.js",
    "doctools.js",
    "clipboard.min.js",
    "copybutton.js",
    "scripts/bootstrap.js",
    "scripts/pydata-sphinx-theme.js",
    "scripts/sphinx-book-theme.js",
)
ICONS = "vendor/fontawesome/6.5.2/js/all.min.js"
# What the theme asks of each part of a page by itself, so that the browser lays out the page anew
# for each: whether a cell scrolls (two seconds on a phone; `page.js` asks all at once), and whether
# a section of the table of contents is shown at all (each is). With what stands in its place.
SLOW = {
    re.compile(r"(\w+)\.tabIndex=\1\.scrollWidth>\1\.clientWidth\|\|[^?]*\?0:-1"): "0",
    re.compile(r"\w+\((\w+)\)&&\(this\._targetLinks\.set"): r"\1&&(this._targetLinks.set",
}
FIRST, LAST = ("page.css", "page.js"), ("print.css",)  # of ours; the others by their names
UNUSED = ("vendor", "locales", "images", "styles", "scripts", "*webpack-macros.html", "*.png")
OF_SPHINX = ("sphinx_highlight.js", "searchtools.js", "language_data.js")  # its search, not ours
# The classes that Bootstrap's script sets for what the theme uses of it: menus, tooltips, the place
# in the table of contents. The script names those of all its other parts as well.
OF_BOOTSTRAP = ["active", "show", "fade", "tooltip", "tooltip-arrow", "tooltip-inner"]
OF_BOOTSTRAP += [f"bs-tooltip-{side}" for side in ("auto", "top", "bottom", "start", "end")]


def ours(app: Sphinx, ending: str) -> list[str]:
    """Return the names of the files of book/_static/ that go into site.css or site.js."""
    names = sorted(file.name for file in Path(app.srcdir, "_static").glob(f"*.{ending}"))
    names.sort(key=lambda name: (name in LAST) - (name in FIRST))
    return names


def only_two_files(
    app: Sphinx, pagename: str, template: str, context: dict, doctree: object
) -> None:
    """Leave out the files that stand in site.css and site.js; say if one is new."""
    known = {*STYLES[:-1], *SCRIPTS, *OF_SPHINX, *ours(app, "css"), *ours(app, "js")}
    asked = [*context.get("css_files", []), *context.get("script_files", [])]
    names = {str(file.filename or "").removeprefix("_static/") for file in asked}
    for name in names - known - {""}:
        if not name.startswith(("mystnb.", "search/", "lookup/")):
            logging.getLogger(__name__).warning(
                "book/_ext/assets.py does not know the file %s", name
            )
    context["css_files"], context["script_files"] = [], []
    # An icon for the one link that has a picture, which every page would load.
    for group in context.get("header_buttons", []):
        for button in group.get("buttons", []):
            if "colab" in (button.get("icon") or ""):
                button["icon"] = "fas fa-rocket"


def restyle(app: Sphinx, env: object, *changes: object) -> list[str]:
    """Write a page anew if a file of _static/ has changed: without a page Sphinx copies none."""
    made = Path(app.outdir, "_static", "site.css")
    sources = Path(app.srcdir, "_static").iterdir()
    if made.is_file() and any(file.stat().st_mtime > made.stat().st_mtime for file in sources):
        return [app.config.root_doc]
    return []


def names_in_use(site: Path, static: Path, scripts: tuple[str, ...]) -> tuple[set[str], set[str]]:
    """Return the names of elements, classes and ids in pages and scripts, and the icons."""
    names = set(OF_BOOTSTRAP)
    for page in site.rglob("*.html"):
        html = page.read_text(encoding="utf-8")
        names.update(re.findall(r"<([a-z][a-z0-9]*)", html))
        for values in set(re.findall(r'\b(?:class|id)=["\']([^"\']*)', html)):
            names.update(values.split())
    icons = {name for name in names if name.startswith("fa-")}
    for script in scripts:
        if "bootstrap" not in script:
            names.update(re.findall(r"[\w-]+", (static / script).read_text(encoding="utf-8")))
    return names, icons


def in_use(selector: str, names: set[str]) -> bool:
    """Say whether the pages know each element, class and id that a selector needs."""
    needed = re.sub(r"\[[^]]*\]|:(?:not|is|where|has)\((?:[^()]|\([^()]*\))*\)", "", selector)
    needed = re.sub(r"::?[\w-]+(\([^)]*\))?", "", needed)
    return all(name in names for name in re.findall(r"[a-zA-Z_][\w-]*", needed.replace("\\", "")))


def rules_in_use(rules: list, names: set[str]) -> str:
    """Return the CSS of the rules that apply somewhere."""
    css = ""
    for rule in rules:
        if rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports"):
            inner = rules_in_use(tinycss2.parse_rule_list(rule.content, True, True), names)
            if inner:
                css += f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inner}}}"
        elif rule.type == "at-rule" and rule.lower_at_keyword not in ("charset", "import"):
            css += rule.serialize()
        elif rule.type == "qualified-rule":
            selectors = re.split(r",(?![^(]*\))", tinycss2.serialize(rule.prelude).strip())
            kept = [selector.strip() for selector in selectors if in_use(selector, names)]
            if kept:
                content = re.sub(r"\s+", " ", tinycss2.serialize(rule.content)).strip()
                css += f"{','.join(kept)}{{{content}}}\n"
    return css


def icon_rules(icons: set[str], script: str) -> str:
    """Return a mask for each icon of the theme, from its path in the script of the icons."""
    css = ""
    for icon in sorted(icons):
        name = re.escape(icon.removeprefix("fa-"))
        # By its name or by an older one. The last set is the solid one, which the theme uses.
        entry = rf'(?:[{{,]"?{name}"?:\[|:\[(?=\d+,\d+,\[[^\]]*"{name}"))'
        entry += r'(\d+),(\d+),\[[^\]]*\],"\w+","([^"]+)"'
        found = re.findall(entry, script)
        if found:
            width, height, path = found[-1]
            svg = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}'>"
            svg = f"{svg}<path d='{path}'/></svg>".replace("<", "%3C").replace(">", "%3E")
            css += f'.{icon}{{--icon:url("data:image/svg+xml,{svg}")}}\n'
    return css


def put_together(app: Sphinx, exception: Exception | None) -> None:
    """Write site.css and site.js, and remove what went into them."""
    if exception is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    static = site / "_static"
    if not (static / SCRIPTS[0]).is_file():  # no page was written, so Sphinx copied nothing anew
        return
    all_scripts, all_styles = (*SCRIPTS, *ours(app, "js")), (*STYLES, *ours(app, "css"))
    scripts = [static.joinpath(name).read_text(encoding="utf-8") for name in all_scripts]
    scripts = [re.sub(r"//# sourceMappingURL=\S*", "", script) for script in scripts]
    # Not the first statement: "use strict" in one file is not meant for the others.
    script = ";" + "\n;".join(scripts)
    for slow, instead in SLOW.items():
        script, found = slow.subn(instead, script)
        if found != 1:
            logging.getLogger(__name__).warning("SLOW of book/_ext/assets.py: %s", slow.pattern)
    static.joinpath("site.js").write_text(script, encoding="utf-8")
    names, icons = names_in_use(site, static, all_scripts)
    sheets = [next(static.glob(name)).read_text(encoding="utf-8") for name in all_styles]
    state = [*sheets, *sorted(names), Path(__file__).read_text(encoding="utf-8")]
    mark = f"/* {hashlib.sha256(''.join(state).encode()).hexdigest()} */\n"
    kept = Path(app.doctreedir, "site.css")
    if not kept.is_file() or not kept.read_text(encoding="utf-8").startswith(mark):
        rules = [tinycss2.parse_stylesheet(sheet, True, True) for sheet in sheets]
        css = "".join(rules_in_use(sheet, names) for sheet in rules)
        css += icon_rules(icons, (static / ICONS).read_text(encoding="utf-8"))
        kept.write_text(mark + css, encoding="utf-8")
    static.joinpath("site.css").write_text(
        kept.read_text(encoding="utf-8").removeprefix(mark), encoding="utf-8"
    )
    for pattern in (*all_styles, *all_scripts, *UNUSED, *OF_SPHINX):
        for path in static.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def setup(app: Sphinx) -> dict[str, object]:
    """Register the hooks; called by Sphinx."""
    app.connect("env-get-outdated", restyle)
    app.connect("html-page-context", only_two_files, priority=950)  # after the theme's own
    app.connect("build-finished", put_together, priority=950)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
