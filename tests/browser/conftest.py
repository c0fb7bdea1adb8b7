"""What the tests in a browser share: one Chromium, the served site, and pages that are watched."""

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tools import chromium


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Serve the built site; the value is its address."""
    if not (chromium.SITE / "index.html").is_file():
        pytest.exit("there is no site yet: run make book first", returncode=1)
    with chromium.served() as address:
        yield address


@pytest.fixture(scope="session")
def browser():
    """Start the system's Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.executable())
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def contexts(browser):
    """Return a function that gives the context with some options, the same each time: it caches."""
    known = {}

    def context(**options):
        key = tuple(sorted(options.items()))
        if key not in known:
            width = options.pop("width", 1280)
            known[key] = browser.new_context(
                viewport={"width": width, "height": 800}, **options, service_workers="block"
            )
            known[key].set_default_timeout(30_000)
            known[key].add_init_script(path=Path(__file__).with_name("look.js"))
        return known[key]

    return context


@pytest.fixture(scope="session")
def opened(contexts, site: str) -> Callable:
    """Return a function that opens a page; it returns the page and the list of what failed on it.

    That is a message of the console, an exception, a request that failed or that left for another
    host. The list grows as long as the page is open.
    """

    def open_page(path: str, problems: list[str] | None = None, **options):
        problems = [] if problems is None else problems

        def failed(sent) -> None:
            # The browser itself stops what a page still loads when a test leaves that page.
            if sent.failure != "net::ERR_ABORTED":
                problems.append(f"failed, {sent.failure}: {sent.url}")

        def response(answer) -> None:
            if answer.status >= 400:
                problems.append(f"status {answer.status}: {answer.url}")

        def request(sent) -> None:
            if urlsplit(sent.url).scheme in ("http", "https") and not sent.url.startswith(site):
                problems.append(f"request to another host: {sent.url}")

        def console(message) -> None:
            if message.type in ("error", "warning"):
                problems.append(f"console: {message.text} ({message.location.get('url')})")

        page = contexts(**options).new_page()
        page.on("console", console)
        page.on("pageerror", lambda error: problems.append(f"exception: {error}"))
        page.on("requestfailed", failed)
        page.on("response", response)
        page.on("request", request)
        page.goto(site + path)
        return page, problems

    return open_page


@pytest.fixture
def visit(opened) -> Iterator[Callable]:
    """Return a function that opens a page. At the end nothing may have failed on any of them.

    `visit.problems` is the list of what failed.
    """
    problems: list[str] = []
    pages = []

    def visit(path: str, **options):
        page, _ = opened(path, problems, **options)
        pages.append(page)
        return page

    visit.problems = problems
    yield visit
    for page in pages:
        page.close()
    assert problems == [], "the browser reports what no reader should meet"
