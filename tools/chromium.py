"""Find the system's Chromium and serve the built site to it."""

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

from tools import serve

SITE = Path(__file__).resolve().parent.parent / "_build" / "html"
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def executable() -> str:
    """Return the path of Chromium; exit with the remedy where there is none."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    sys.exit(f"error: there is no {NAMES[0]} in PATH. On Debian and Ubuntu: apt install chromium")


@contextmanager
def served() -> Iterator[str]:
    """Serve the site on a free port of localhost, in the folder of its address; yield that."""
    home = (SITE / "index.html").read_text(encoding="utf-8")
    folder = urlsplit(re.search(r'rel="canonical" href="([^"]+)"', home)[1]).path
    with serve.server(SITE, folder=folder) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}{folder}"
        server.shutdown()


if __name__ == "__main__":  # for scripts: print the path, or fail with the remedy
    print(executable())
