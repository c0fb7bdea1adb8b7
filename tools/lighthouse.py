"""Measure the site with Lighthouse: its mobile preset, nine kinds of pages, served compressed.

Prints the four scores of each page and the bytes transferred; fails below 98. A busy machine lowers
the score of performance: where the first run is below, the median of three counts.

python -m tools.lighthouse [PAGE …]
"""

import json
import os
import shutil
import statistics
import subprocess
import sys

from tools.chromium import executable, served

LIGHTHOUSE = "lighthouse@12.8.2"  # the last that runs on Node.js 18 and 20
PAGES = ("index", "methods/clone", "benchmarks/copy_methods", "reference/comparison")
PAGES += ("reference/claims", "reference/errors", "reference/operations", "reference/line")
PAGES += ("search",)
KINDS = ("performance", "accessibility", "best-practices", "seo")
LEAST, RUNS = 98, 3
# The search asks to be left out of other searches, which is the one thing that SEO finds.
EXEMPT = {("search", "seo")}


def measure(npx: str, url: str) -> dict:
    """Return Lighthouse's report of a page."""
    command = [npx, "--yes", LIGHTHOUSE, url, "--quiet", "--output=json"]
    command += ["--chrome-flags=--headless=new --no-sandbox"]
    environment = os.environ | {"CHROME_PATH": executable()}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"error: {LIGHTHOUSE} failed on {url}:\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def below(page: str, scores: dict[str, float]) -> list[str]:
    """Return the categories in which a page has too low a score."""
    return [kind for kind in KINDS if scores[kind] < LEAST and (page, kind) not in EXEMPT]


def main() -> None:
    """Measure each page and print its line."""
    npx = shutil.which("npx")
    if npx is None:
        sys.exit("error: there is no npx in PATH. Install Node.js 18.16 or newer with npm")
    low = []
    print(f"{'page':26}{''.join(f'{kind:>16}' for kind in KINDS)}{'bytes':>10}", flush=True)
    with served() as site:
        for page in sys.argv[1:] or PAGES:
            runs: list[dict[str, float]] = []
            while len(runs) < RUNS:
                report = measure(npx, f"{site}{page}.html")
                runs += [{kind: 100 * report["categories"][kind]["score"] for kind in KINDS}]
                if len(runs) == 1 and below(page, runs[0]) == []:
                    break
            scores = {kind: round(statistics.median(run[kind] for run in runs)) for kind in KINDS}
            size = report["audits"]["total-byte-weight"]["numericValue"]
            line = "".join(f"{score:>16}" for score in scores.values())
            print(f"{page:26}{line}{size:>10,.0f}", flush=True)
            low += [f"{page} ({kind})" for kind in below(page, scores)]
    if low:
        sys.exit(f"error: below {LEAST}: {', '.join(low)}")


if __name__ == "__main__":
    main()
