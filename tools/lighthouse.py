"""Measure the site with Lighthouse: its mobile preset, six kinds of pages, served compressed.

Prints the four scores of each page and the bytes transferred; fails below 95. The median of three
runs counts, as a busy machine lowers the score of performance.
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
PAGES += ("reference/claims", "reference/errors")
KINDS = ("performance", "accessibility", "best-practices", "seo")
LEAST, RUNS = 95, 3


def measure(npx: str, url: str) -> dict:
    """Return Lighthouse's report of a page."""
    command = [npx, "--yes", LIGHTHOUSE, url, "--quiet", "--output=json"]
    command += ["--chrome-flags=--headless=new --no-sandbox"]
    environment = os.environ | {"CHROME_PATH": executable()}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"error: {LIGHTHOUSE} failed on {url}:\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def main() -> None:
    """Measure each page and print its line."""
    npx = shutil.which("npx")
    if npx is None:
        sys.exit("error: there is no npx in PATH. Install Node.js 18.16 or newer with npm")
    low = []
    print(f"{'page':26}{''.join(f'{kind:>16}' for kind in KINDS)}{'bytes':>10}", flush=True)
    with served() as site:
        for page in PAGES:
            reports = [measure(npx, f"{site}{page}.html") for _ in range(RUNS)]
            scores = [
                round(100 * statistics.median(one["categories"][kind]["score"] for one in reports))
                for kind in KINDS
            ]
            size = reports[0]["audits"]["total-byte-weight"]["numericValue"]
            print(f"{page:26}{''.join(f'{s:>16}' for s in scores)}{size:>10,.0f}", flush=True)
            low += [page] * (min(scores) < LEAST)
    if low:
        sys.exit(f"error: below {LEAST}: {', '.join(low)}")


if __name__ == "__main__":
    main()
