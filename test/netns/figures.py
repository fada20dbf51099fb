"""What was measured, printed at the end and kept in build/out/netns/figures.json."""

import json
import pathlib

OUT = pathlib.Path(__file__).resolve().parents[2] / "build/out/netns"


class Figures:
    """Named numbers with units."""

    def __init__(self):
        self._values = {}

    def add(self, name, value, unit):
        """Keeps one figure. Seconds are the day's."""
        self._values[name] = {"value": round(value, 3), "unit": unit}

    def promised(self, name, seconds):
        """Keeps seconds that are without what the computer's host took, and says so."""
        self.add(f"{name}, without the host's share", seconds, "s")

    def show(self):
        """Prints and saves all."""
        OUT.mkdir(parents=True, exist_ok=True)
        (OUT / "figures.json").write_text(json.dumps(self._values, indent=1) + "\n", encoding="utf-8")
        for name, figure in self._values.items():
            print(f"figure: {name}: {figure['value']} {figure['unit']}")
