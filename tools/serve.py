"""Serve the built site as GitHub Pages does: compressed, in its folder, with its 404 page.

python -m tools.serve _build/html 8000
"""

import gzip
import io
import sys
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TEXT = {".html", ".css", ".js", ".json", ".svg", ".xml", ".txt", ".ipynb", ".md"}


class Handler(SimpleHTTPRequestHandler):
    """Serves files with gzip; `/NAME/page.html` is `/page.html` too, as the 404 page links it."""

    protocol_version = "HTTP/1.1"
    folder = ""

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix(self.folder))

    def send_head(self):  # noqa: ANN201 (as in the standard library)
        file = Path(self.translate_path(self.path))
        file = file / "index.html" if file.is_dir() else file
        status = HTTPStatus.OK
        if not file.is_file():
            file, status = Path(self.directory, "404.html"), HTTPStatus.NOT_FOUND
            if not file.is_file():
                self.send_error(status)
                return None
        body = file.read_bytes()
        self.send_response(status)
        self.send_header("Content-Type", self.guess_type(str(file)))
        if file.suffix in TEXT and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body, 6)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        return io.BytesIO(body)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


def server(site: Path, port: int = 0, folder: str = "") -> ThreadingHTTPServer:
    """Return a server of a built site on localhost, not started yet; port 0 takes a free one."""
    handler = type("SiteHandler", (Handler,), {"folder": folder.rstrip("/")})
    return ThreadingHTTPServer(("localhost", port), partial(handler, directory=str(site)))


if __name__ == "__main__":
    with (
        server(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]) as site,
        suppress(KeyboardInterrupt),
    ):
        site.serve_forever()
