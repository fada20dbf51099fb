"""What an owner does at the page to say where the machine is, what the pool's page shows of it, and what nobody should send there."""

import json
import re

import pools
from house import ADDRESS
from pool import ZONE
from tally import must
from volunteers import PHONE, WIDE, begin, looked
from waiting import until

PAGE = f"http://{ADDRESS}/"
KEPT = "/var/lib/wow/pause/place.json"
MAP = "Map of the world: a click says where the machine is"


def run(tally, house, modules, out):
    """beta is a machine with jobs."""
    with tally.case("a place that is none is refused in words, and so is a form from elsewhere; nothing is told before the owner says it"):
        guest, key = house.guest()
        for fields in ({}, {"latitude": "47"}, {"latitude": "91", "longitude": "8"}, {"latitude": "nan", "longitude": "<b>"}, {"map.x": "0", "map.y": "0"},
                       {"map.x": "1"}, {"map.x": "720", "map.y": "9"}, {"map.x": "\u0663", "map.y": "9"}, {"latitude": "\u202e<b>", "longitude": "8"}):
            status, _, text = guest.ask("/place", {**fields, "key": key})
            must(status == 400 and "<b>" not in text and 'role="alert"' in text, f"{fields}: {status} {text}")
        good = {"latitude": "47", "longitude": "8"}
        must(guest.ask("/place", {**good, "key": key[:-1]})[0] == 403 and house.asker().ask("/place", good)[0] == 401, "anybody may")
        must(house.asker().ask("/place")[0] == 303, "anybody sees it")
        must(house.beta.run("test", "-e", KEPT, check=False).returncode, "it is kept")
        until(lambda: advertised(house), lambda said: said == "undefined", "the manager has the machine without a place", pause=2)
    if isinstance(modules, str):
        return
    page = begin(house, modules)
    for script in (True, False):
        with tally.case(f"{'with' if script else 'without'} script: a click on the map is kept as whole degrees and told, fields do the same, and a button ends it"):
            page.begin(script=script)
            enter(page, house)
            page.point(picture=MAP, x=376, y=85)
            page.shows(text="The pool is told that this machine is at 47 N, 8 E.")
            must(kept(house) == {"latitude": 47, "longitude": 8}, f"{kept(house)}")
            until(lambda: advertised(house), lambda said: said == "47 8", "the manager knows", pause=2)
            page.fill(label="Latitude", text="33.9")
            page.fill(label="Longitude", text="70.7 w")
            page.keys(keys=["Enter"])
            page.shows(text="is at 34 N, 71 W.")
            page.fill(label="Latitude", text="33,9 S")
            page.fill(label="Longitude", text="200")
            page.press(button="Set the place")
            page.shows(text="longitude: there are 180 degrees at most")
            must(kept(house) == {"latitude": 34, "longitude": -71}, f"{kept(house)}")
            page.press(button="Tell no place")
            page.shows(text="Nobody is told where this machine is.")
            until(lambda: advertised(house), lambda said: said == "undefined", "the manager forgets it", pause=2)
            page.follow(link="Back to the machine's page")
            page.shows(text="It is not on the pool's map.")
            must([one for one in page.complaints() if "400" not in one] == [], f"the browser complains: {page.complaints()}")
    with tally.case("axe-core finds nothing where an owner says the place, wide and light or as wide as a phone and dark"):
        for scheme, width in (("light", WIDE), ("dark", PHONE)):
            page.begin(scheme=scheme, width=width)
            enter(page, house)
            page.point(picture=MAP, x=376, y=85)
            page.shows(text="is at 47 N, 8 E.")
            page.shot(path=str(out / f"place-{scheme}-{width}.png"))
            looked(page, f"place, {scheme}, {width}")
    with tally.case("`wow place` tells the same, and the manager's map has a dot there and a row in its table"):
        must("47 N, 8 E" in house.beta.sh("wow place", "alice"), "the verb says something else")
        must("33 S, 151 E" in house.beta.sh("wow place -33.4 151.2", "alice"), "it is not taken")
        guest = pools.logged_in(house)
        text = until(lambda: guest.ask("/pool/map")[2], lambda text: "33 S, 151 E: 1 machine" in text, "the map has it", pause=5)[0]
        must('<circle class="dot" cx="662" cy="246" r="4.0">' in text and re.search("1 of [0-9]+ machines tell where they are: 1 place[.]", text), text)
        must("<bdi>33 S, 151 E</bdi>" in text, text)
        status, headers, picture = guest.ask("/world.svg")
        must(status == 200 and headers["Content-Type"] == "image/svg+xml" and picture.startswith("<svg"), f"{status} {headers}")
    with tally.case("axe-core finds nothing on the map with its dot, wide and light or as wide as a phone and dark"):
        for scheme, width in (("light", WIDE), ("dark", PHONE)):
            page.begin(scheme=scheme, width=width)
            pools.enter(page, house)
            page.follow(link="Map")
            page.shows(text="machines tell where they are: 1 place.")
            page.shot(path=str(out / f"map-{scheme}-{width}.png"))
            looked(page, f"map, {scheme}, {width}")
            must(not page.complaints(), f"the browser complains: {page.complaints()}")
    page.close()


def enter(page, house):
    """Logs a browser in, and goes to where the place is said."""
    page.open(url=PAGE)
    page.fill(label="Code", text=house.code())
    page.press(button="Log in")
    page.follow(link="Say where it is")
    page.shows(text="Everybody in the pool can see")


def kept(house):
    """What the machine keeps."""
    return json.loads(house.beta.run("cat", KEPT).stdout)


def advertised(house):
    """What the manager knows of its place."""
    return house.manager.sh(f"condor_status -startd -constraint 'Machine == \"beta.{ZONE}\"' -af WowPlace; :").split("\n")[0].strip()
