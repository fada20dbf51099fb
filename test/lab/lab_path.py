"""Lets the tests import appliance/lab."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "appliance/lab"))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "node"))
import pools  # noqa: E402, F401 # before samples, which needs the node's tools
