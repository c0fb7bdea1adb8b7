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


def watch(page, site: str, problems: list[str]) -> Callable:
    """Add to a list what fails on a page; return a function that ends that.

    That is a message of the console, an exception, a request that failed or that left for another
    host.
    """

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

    def raised(error) -> None:
        problems.append(f"exception: {error}")

    listeners = {"console": console, "pageerror": raised, "requestfailed": failed}
    listeners |= {"response": response, "request": request}
    for event, listener in listeners.items():
        page.on(event, listener)

    def end() -> None:
        for event, listener in listeners.items():
            page.remove_listener(event, listener)

    return end


@pytest.fixture(scope="session")
def opened(contexts, site: str) -> Callable:
    """Return a function that opens a page; it returns the page and the list of what fails on it.

    The list grows as long as the page is open.
    """

    def open_page(path: str, **options):
        page, problems = contexts(**options).new_page(), []
        watch(page, site, problems)
        page.goto(site + path)
        return page, problems

    return open_page


@pytest.fixture(scope="session")
def resting() -> list:
    """The pages that tests have left, for others: a new one takes as long as what is done on it."""
    return []


@pytest.fixture
def visit(contexts, site: str, resting: list) -> Iterator[Callable]:
    """Return a function that opens a page. At the end nothing may have failed on any of them.

    `visit.problems` is the list of what failed. A page with options is the test's own, and so is
    one with `kept=False`, for tests that change what cannot be set back.
    """
    problems: list[str] = []
    own, shared = [], []

    def visit(path: str, kept: bool = True, **options):
        again = kept and not options
        page = resting.pop() if again and resting else contexts(**options).new_page()
        end = watch(page, site, problems)
        (shared if again else own).append((page, end))
        page.goto(site + path)
        return page

    visit.problems = problems
    yield visit
    for page, _ in own:
        page.close()
    for page, end in shared:
        page.goto("about:blank")
        end()
        page.emulate_media(media="screen")
        page.set_viewport_size({"width": 1280, "height": 800})
        resting.append(page)
    assert problems == [], "the browser reports what no reader should meet"
