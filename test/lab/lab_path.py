"""Lets the tests import appliance/lab."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "appliance/lab"))
