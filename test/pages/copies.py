"""The pool page on a machine that is no manager: nothing of it runs until somebody looks, it shows what the manager tells, and says what is wrong with a manager that is
away, slow, lying or of an earlier release, while the machine's own page goes on."""

import json
import re
import time

from house import ADDRESS
from pools import FILE, PATHS
from tally import must
from volunteers import PHONE, WIDE, begin, looked
from waiting import PROMISED, until

UNIT = "wow-pool-page.service"
PORT = 9619
LIAR = """
import http.server, os, sys, time, zlib
open("/tmp/liar.pid", "w").write(str(os.getpid()))
# Made before anybody asks: it takes seconds of a processor, and who asks waits for some of the clock.
SAID = {"nonsense": b"<html>", "bomb": zlib.compress(bytes(1 << 28)), "row": zlib.compress(b'{"machines":[["<script>"]]}')}
class Liar(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        kind = open("/tmp/kind").read()
        if kind == "old":
            self.send_error(401)
        elif kind == "slow":
            time.sleep(300)
        else:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(SAID[kind])
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Liar).serve_forever()
"""
"""Stands in wow-pool's place, and does what /tmp/kind says."""
CALLER = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), 10).close()
    print("reached")
except OSError:
    pass
"""


def run(tally, house, modules, out):
    """beta's own page; the manager's wow-pool runs."""
    beta = house.beta
    # ipopd of the manager was away a moment ago.
    address, _ = until(lambda: house.manager.address, bool, "the manager has its address again", pause=1)
    until(lambda: beta.run("python3", "-c", CALLER, address, str(PORT)).stdout, bool, "the manager's port is reached", pause=1)
    with tally.case("nothing that asks a manager runs on a machine until somebody who is in looks, and then the first page comes; figures"):
        until(lambda: beta.sh("systemctl is-active wow-pool-page.socket; :").strip(), lambda said: said == "active", "the socket listens")
        must(house.asker().ask("/pool")[0] == 303, "anybody sees it")
        must(state(beta) == "inactive" and beta.run("test", "-e", FILE, check=False).returncode, "it ran already")
        guest = house.guest()[0]
        begun = time.monotonic()
        status, _, text = guest.ask("/pool/machines")
        took = time.monotonic() - begun
        must(status == 200 and "as the manager <bdi>manager</bdi> told it" in text and ">beta<" in text and "tells how the pool is" not in text, f"{status} {text}")
        memory = beta.sh(f"awk '/^Pss:/ {{ print $2 }}' /proc/$(systemctl show -P MainPID {UNIT})/smaps_rollup").strip()
        size = len(beta.run("cat", FILE).stdout)
        print(f"     the pool's page on another machine after {took:.2f} s; what asks has {int(memory) / 1000:.1f} MB PSS while it runs; the copy has {size} bytes", flush=True)
    with tally.case("one copy serves all who look within ten seconds, each page is there, and while nobody looks no manager is asked"):
        first = stamp(beta)
        for path in PATHS * 3:
            status, _, text = guest.ask(path)
            must(status == 200 and "as the manager <bdi>manager</bdi> told it" in text and len(text) < 300_000, f"{path}: {status} {text}")
        must(stamp(beta) == first or stamp(beta) - first > 9, "it was asked again")
        time.sleep(12)
        last = stamp(beta)
        time.sleep(12)
        must(stamp(beta) == last, "it asks while nobody looks")
        # Another machine's ad says beta's address, too, so in this open pool beta has no other name.
        until(lambda: guest.ask("/pool/ring")[2], lambda text: f"<title>{beta.address}: direct by UDP" in text, "the manager's ring has beta", pause=5)
    with tally.case("tables are sorted, filtered and refused in words as the manager's are, strangers' names are text, and nothing is done by it"):
        must(">evil<" in guest.ask("/pool/machines?find=evil&sort=cores")[2], "the machine that a stranger made up is not there")
        for path in PATHS:
            must(not re.search("<script>document|\u202e|onmouseover=\"", guest.ask(path)[2]), path)
        for query in ("sort=x", "page=0", "kind=x", f"find={'x' * 65}"):
            must(guest.ask(f"/pool/machines?{query}")[0] == 400, query)
        must(guest.ask("/pool", {"key": "x"})[0] == 405, "something can be done")
        must("<form method=\"post\"" not in guest.ask("/pool")[2].replace('<form method="post" action="/logout">', ""), "there is a form")
    with tally.case("neither a job of the machine nor another account of it gets further than they did: jobs do not reach the manager's port, nor the machine's socket"):
        address = house.manager.address
        must(beta.run("runuser", "-u", "wowjob1", "--", "python3", "-c", CALLER, address, str(PORT)).stdout == "", "a job reaches the manager's port")
        must(beta.run("runuser", "-u", "nobody", "--", "python3", "-c", "import socket; socket.socket(socket.AF_UNIX).connect('/run/wow/pool/page.sock')",
                      check=False).stdout.splitlines()[-1].startswith("PermissionError"), "anybody has it ask")
    browse(tally, house, modules, out)
    away(tally, house, guest)


def browse(tally, house, modules, out):
    """What a person does."""
    if isinstance(modules, str):
        return
    page = begin(house, modules)
    for script in (True, False):
        with tally.case(f"{'with' if script else 'without'} script: from a machine's own page to the pool's, and back"):
            page.begin(script=script)
            enter(page, house)
            page.shows(text="as the manager manager told it")
            page.follow(link="Machines")
            page.fill(label="Find", text="BETA")
            page.press(button="Show")
            page.shows(text="1 to 1 of 1, of ")
            page.follow(link="This machine")
            page.shows(text="Leave")
            must(not page.complaints(), f"the browser complains: {page.complaints()}")
    with tally.case("axe-core finds nothing on the pool's pages of a machine, wide and light or as wide as a phone and dark"):
        for scheme, width in (("light", WIDE), ("dark", PHONE)):
            page.begin(scheme=scheme, width=width)
            enter(page, house)
            for name in ("Overview", "Ring"):
                page.follow(link=name)
                page.shows(text=f": {name.lower()}")
                looked_at = f"copy-{name.lower()}-{scheme}-{width}"
                page.shot(path=str(out / f"{looked_at}.png"))
                looked(page, looked_at)
    page.close()


def enter(page, house):
    """Logs a browser in on beta, and goes to the pool's page."""
    page.open(url=f"http://{ADDRESS}/")
    page.fill(label="Code", text=house.code())
    page.press(button="Log in")
    page.follow(link="The whole pool")


def away(tally, house, guest):
    """Of the manager's wow-pool, and of what stands in its place."""
    beta, manager = house.beta, house.manager
    manager.sh("systemctl stop wow-pool.service")
    manager.sh("cat > /tmp/liar.py; echo nonsense > /tmp/kind", text_in=LIAR)
    liar = None
    try:
        with tally.case("no manager answers: the page says so in a sentence, shows what was told last, and the machine's own page is there"):
            must("No manager of the pool tells how the pool is: manager does not answer" in shown(beta, guest) and ">beta<" in guest.ask("/pool/machines")[2], "it says nothing")
            must(guest.ask("/")[0] == 200, "its own page is away")
        with tally.case("a manager that lies, or is of an earlier release, is named with what it did, and what was told last stays"):
            manager.sh("printf nonsense > /tmp/kind")
            liar = manager.begin(["python3", "/tmp/liar.py", manager.address, str(PORT)])
            until(lambda: manager.run("ss", "-Hltn", "sport", f"= {PORT}").stdout, bool, "it listens")
            for kind, word in (("nonsense", "sent something that is not packed"), ("bomb", "sent something that has more than 4 MiB"),
                               ("row", "sent something that has something else than it should have as machines"), ("old", "is of an earlier release")):
                manager.sh(f"printf {kind} > /tmp/kind")
                text = until(lambda: shown(beta, guest), lambda text, word=word: word in text, f"{kind}: it says so")[0]
                must(">beta<" in text and "<script>\"" not in text, f"{kind}: {text}")
        with tally.case("a manager that is slow holds neither the pool's page for long nor the machine's own"):
            manager.sh("printf slow > /tmp/kind")
            begun = PROMISED.now()
            shown(beta, guest)
            must(guest.ask("/")[0] == 200, "the machine's own page is away")
            # A tenth of what that manager takes.
            must(PROMISED.now() - begun < 30, "a page waits")
    finally:
        if liar is not None:
            manager.sh("kill $(cat /tmp/liar.pid)")
            liar.wait()
        manager.sh("systemctl start wow-pool.service")
    with tally.case("a manager that is back is shown again"):
        until(lambda: shown(beta, guest), lambda text: ">beta<" in text and "No manager of the pool tells" not in text, "it is back", pause=2)


def shown(beta, guest):
    """The table of machines, as if nobody had looked for minutes."""
    beta.sh(f"""systemctl stop {UNIT}; sed -i 's/"tried":[0-9.]*/"tried":0/' {FILE}""")
    return guest.ask("/pool/machines")[2]


def state(beta):
    """Whether what asks runs."""
    return beta.sh(f"systemctl is-active {UNIT}; :").strip()


def stamp(beta):
    """When a manager was asked, in seconds since the machine started."""
    return json.loads(beta.run("cat", FILE).stdout)["tried"]
