"""What verify/approved.toml allows beyond the rules, each with a reason."""

from verify.book import Book, Problem

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10; pytest requires tomli there
    import tomli as tomllib

FILE = "verify/approved.toml"


class Approvals:
    """The tables of one name: `keys` identify what is approved; `problems` lists what is wrong."""

    def __init__(self, book: Book, table: str, *keys: str):
        self.used: set[tuple] = set()
        self.open: set[tuple] = set()
        self.problems: list[Problem] = []
        found = []
        try:
            found = tomllib.loads((book.root / FILE).read_text(encoding="utf-8")).get(table, [])
        except FileNotFoundError:
            pass
        except ValueError as error:
            message = f"it cannot be read: {error}"
            self.problems.append(Problem(FILE, None, message, f"write tables [[{table}]]"))
        for entry in found:
            if not isinstance(entry, dict) or not all(
                str(entry.get(key) or "").strip() for key in (*keys, "reason")
            ):
                message = f"the approval {entry} lacks one of {', '.join((*keys, 'reason'))}"
                self.problems.append(Problem(FILE, None, message, "complete it"))
            else:
                self.open.add(tuple(entry[key] for key in keys))

    def allow(self, *key: str) -> bool:
        """Tell whether this is approved, and note that it was met."""
        self.used.add(key)
        return key in self.open

    def unused(self) -> list[Problem]:
        """Return a problem for each approval of what does not occur."""
        return [
            Problem(FILE, None, f"an approval that matches nothing: {', '.join(key)}", "remove it")
            for key in sorted(self.open - self.used)
        ]
