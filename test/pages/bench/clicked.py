"""How soon jobs stand still and go on after a click at a machine's page: seconds from the click until the browser has its answer and the kernel's own word on their
control group is so."""

import pathlib
import time

from house import ADDRESS, SLOT
from tally import must
from volunteers import begin

OFTEN, LIMIT = 0.002, 60
"""Seconds between two looks, and after which it does not come."""


def pause(house, modules, rounds):
    """{stops, goes_on: seconds, one of each a round}; twice as many rounds as of others, for the worst counts."""
    house.job()
    events = pathlib.Path(f"/proc/{house.beta.first}/root{SLOT}/cgroup.events")
    found, page = {"stops": [], "goes_on": []}, begin(house, modules)
    try:
        page.begin()
        page.open(url=f"http://{ADDRESS}/")
        page.fill(label="Code", text=house.code())
        page.press(button="Log in")
        for _ in range(2 * rounds):
            for name, button, frozen, then in (("stops", "Pause now", "frozen 1", "by the web page"), ("goes_on", "Resume now", "frozen 0", "Jobs stand still at once")):
                began = time.monotonic()
                page.press(button=button)
                while frozen not in events.read_text(encoding="ascii"):
                    must(time.monotonic() - began < LIMIT, f"after {button} the kernel never says {frozen}")
                    time.sleep(OFTEN)
                found[name].append(round(time.monotonic() - began, 3))
                page.shows(text=then)
    finally:
        page.close()
    return found
