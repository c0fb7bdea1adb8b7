# snippet: verified
# Says so if the book was not verified with the torch that is installed here.
from importlib.metadata import version

VERIFIED = "2.8.0", "2.13.0", "2.15.0"
if (installed := version("torch").partition("+")[0]) not in VERIFIED:
    print(f"This book was verified with torch {', '.join(VERIFIED)}.", end=" ")
    print(f"Here is torch {installed}: an output may differ.")
