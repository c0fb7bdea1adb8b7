"""The tool, imported from where the site offers it."""

import importlib.util
import sys

from tools.snippets import TOOL

spec = importlib.util.spec_from_file_location("whoshares", TOOL)
whoshares = sys.modules["whoshares"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(whoshares)
