"""`make operations`: ask every operation whether it copies."""

import sys

from .record import main

if __name__ == "__main__":
    sys.exit(main())
