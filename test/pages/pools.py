"""The pool page on the manager: nothing of it is asked for until somebody looks, what it shows, in a browser and as none would ask, strangers' names, parts that are away."""

import json
import re
import time

from asking import Asker
from jobs import Job
from pool import OWNER, ZONE
from tally import must
from volunteers import PHONE, WIDE, begin, looked
from waiting import PROMISED, until

ADDRESS = "192.0.2.10"
PAGE = f"http://{ADDRESS}/"
FILE, SOCKET = "/run/wow/pool/page.json", "/run/wow/pool/page.sock"
PATHS = ("/pool", "/pool/machines", "/pool/jobs", "/pool/owners", "/pool/map", "/pool/ring")
PROJECT = "<b>x\u202e"
HOSTILE = "<script>document.title='bad'</script>\u202egnp"
LIE = """MyType = "Machine"
Name = "slot1_77@evil.{zone}"
Machine = "evil.{zone}"
MyAddress = "<{address}:9618?sock=startd>"
State = "Claimed"
Activity = "Busy"
Cpus = 4
RemoteOwner = "{name}@x.{zone}"
WowOwner = "{name}\\" onmouseover=\\"x"
WowVersion = "{name}"
WowPathToManager = "{name}"
WowPauseReason = "{name}"
WowPlace = "{name}"
"""
WORKED = """
import random, sys, time
sys.path[:0] = ["/usr/lib/wow/node"]
from wow.history.ledger import Credit
from wow.history.store import Store
chance, now, kept = random.Random(5), int(time.time()), Store("/var/lib/wow/history/history.db")
for day in range(29, -1, -1):
    kept.add(now - day * 86400, [Credit("alice@alpha", "surge", owner, "beta", chance.randrange(9 * 10 ** 5), chance.randrange(90)) for owner in (sys.argv[1], "Grace")])
kept.add(now - 2 * 86400, [Credit("alice@alpha", "surge", "Grace", "omega", 7200, 5)], {"omega": "Grace"})
kept.add(now - 40 * 86400, [], {"older": "Grace"})
kept.close()
"""
"""Gives the manager's history thirty days in which two owners' machines worked, one that is off for two days, and one for longer than is shown."""


def run(tally, house, modules, out):
    """The manager has beta in its pool."""
    manager = house.manager
    manager.run("systemctl", "stop", "wow-pool.service")
    manager.run("python3", "-c", WORKED, OWNER)
    manager.run("systemctl", "start", "wow-pool.service")
    with tally.case("nothing of the pool page is asked for until somebody who is in looks"):
        until(lambda: manager.sh("systemctl is-active wow-pool.service; :").strip(), lambda said: said == "active", "wow-pool runs")
        for path in PATHS:
            status, headers, _ = asker(house).ask(path)
            must((status, headers["Location"]) == (303, "/"), f"{path}: {status} {headers}")
        must(manager.run("test", "-e", FILE, check=False).returncode, "it was looked at")
    with tally.case("one snapshot serves all who look within ten seconds, and while nobody looks there is no other"):
        guest = logged_in(house)
        before = processor(manager)
        must("beta" in guest.ask("/pool/machines")[2], "beta is not there")
        first = stamp(manager)
        for path in PATHS * 5:
            must(guest.ask(path)[0] == 200, path)
        must(stamp(manager) == first or time.monotonic() - first > 9, "it was made again")
        print(f"     a snapshot took {processor(manager) - before:.2f} s of a processor, HTCondor's tool and {5 * len(PATHS) + 1} pages with it", flush=True)
        time.sleep(12)
        last = stamp(manager)
        time.sleep(12)
        must(stamp(manager) == last, "it is made while nobody looks")
    waiting = Job(house.beta, "alice", "true", more=f'request_cpus = 99\n+ProjectName = "{PROJECT}"')
    browse(tally, house, modules, out, waiting)
    hostile(tally, house)
    away(tally, house)
    waiting.remove()


def browse(tally, house, modules, out, waiting):
    """What a person does, with script and without."""
    if isinstance(modules, str):
        return
    page = begin(house, modules)
    for script in (True, False):
        with tally.case(f"{'with' if script else 'without'} script: from the manager's page to the pool's, its machines sorted and filtered, its owners"):
            page.begin(script=script)
            enter(page, house)
            page.shows(text="Jobs were matched last")
            page.follow(link="Machines")
            page.shows(text=OWNER)
            page.follow(link="owner")
            page.fill(label="Find", text="nobody")
            page.press(button="Show")
            page.shows(text="None, of 2 in all.")
            page.fill(label="Find", text="BETA")
            page.choose(label="State", option="free")
            page.press(button="Show")
            page.shows(text="1 to 1 of 1, of 2 in all.")
            page.follow(link="Owners")
            page.shows(text=OWNER)
            must(not page.complaints(), f"the browser complains: {page.complaints()}")
    with tally.case("a machine that is off stands in the table with when it was seen last and what it gave, alone where those are looked for; one of long ago does not"):
        guest = logged_in(house)
        text = guest.ask("/pool/machines?kind=off")[2]
        must("1 to 1 of 1, of 2 in all." in text and ">omega<" in text and ">Grace<" in text and '<td class="number">2</td><td class="number">5</td>' in text, text)
        must("<dt>Off, seen within 30 days</dt><dd>1</dd>" in guest.ask("/pool")[2], "the overview does not say so")
        said = json.loads(house.manager.sh("wow history machines --json"))["machines"]
        must({one["name"]: (one["here"], one["core_hours"]) for one in said}["omega"] == (False, 2.0), said)
        must("omega" in house.manager.sh("wow history machines"), "people are not told")
    with tally.case("the ring is a picture of the paths that this manager has, with a line to beta, and a table of them"):
        text = until(lambda: guest.ask("/pool/ring")[2], lambda text: "<title>beta: " in text, "beta has a session", pause=5)[0]
        must('<path class="link ' in text and "has a session with " in text and "direct by UDP" in text, text)
        must(">beta<" in guest.ask("/pool/ring?find=beta")[2] and guest.ask("/pool/ring?kind=x")[0] == 400, "the table is another one")
    with tally.case("it says why the oldest job waits, and whose it is, and the table has its project"):
        guest = logged_in(house)
        text = until(lambda: guest.ask("/pool")[2], lambda text: f"{waiting.number} of alice@beta" in text, "the job is told", pause=5)[0]
        must("No machine has 99 processors; the largest has" in text and "1 waiting" in text, text)
        must("?b?x?" in text and PROJECT not in text, text)
        must("?b?x?" in guest.ask("/pool/jobs")[2], "the project is not there")
    with tally.case("the history is two pictures of thirty days, each told in words, and owners have what they gave"):
        text = guest.ask("/pool")[2]
        must(text.count('class="bar"') == 60 and "CPU hours: " in text and "Jobs: " in text, text)
        must("Grace" in guest.ask("/pool/owners")[2], "an owner is not there")
    with tally.case("axe-core finds nothing on the pool's pages, wide and light or as wide as a phone and dark"):
        for scheme, width in (("light", WIDE), ("dark", PHONE)):
            page.begin(scheme=scheme, width=width)
            enter(page, house)
            for name in ("Overview", "Machines", "Jobs", "Owners", "Map", "Ring"):
                page.follow(link=name)
                page.shows(text=f": {name.lower()}")
                looked_at = f"pool-{name.lower()}-{scheme}-{width}"
                page.shot(path=str(out / f"{looked_at}.png"))
                looked(page, looked_at)
    page.close()


def enter(page, house):
    """Logs a browser in on the manager, and goes to the pool's page."""
    page.open(url=PAGE)
    page.fill(label="Code", text=code(house))
    page.press(button="Log in")
    page.follow(link="The whole pool")


def hostile(tally, house):
    """Of strangers, and of who asks for what there is not."""
    guest = logged_in(house)
    with tally.case("whatever a machine says of itself, it is text: markup, marks of direction, quotes"):
        house.beta.sh("cat > /tmp/lie", text_in=LIE.format(zone=ZONE, address=house.beta.address, name=HOSTILE))
        house.beta.sh("condor_advertise UPDATE_STARTD_AD /tmp/lie 2>&1")
        text = until(lambda: guest.ask("/pool/machines?find=evil")[2], lambda text: ">evil<" in text, "the machine is there", pause=5)[0]
        for path in PATHS:
            text = guest.ask(path)[2]
            must(not re.search("<script>document|\u202e|onmouseover=\"", text), f"{path}: {text}")
    with tally.case("a table that is asked for wrongly is refused in words, and what was looked for is text"):
        for query in ("sort=x", "order=x", "page=0", "page=1e9", "kind=x", f"find={'x' * 65}"):
            status, _, text = guest.ask(f"/pool/machines?{query}")
            must(status == 400 and "takes" in text, f"{query}: {status} {text}")
        for query in ("find=%3Cscript%3Ex%22", "find=%FF%00", "page=9999", "other=1", "find=%E2%80%AE"):
            status, _, text = guest.ask(f"/pool/machines?{query}")
            must(status == 200 and "<script>x" not in text and "\u202e" not in text, f"{query}: {status} {text}")
        must(guest.ask("/pool/none")[0] == 404 and guest.ask("/pool", {"key": "x"})[0] == 405, "there is something else")


def away(tally, house):
    """Of wow-pool, of the collector."""
    manager = house.manager
    with tally.case("wow-pool away: the page says so and shows what it saw last"):
        guest = logged_in(house)
        must("does not answer" not in guest.ask("/pool/machines")[2], "it says so already")
        manager.sh("systemctl stop wow-pool.service")
        try:
            forget(manager)
            text = guest.ask("/pool/machines")[2]
            must("wow-pool, which looks at the pool, does not answer" in text and ">beta<" in text, text)
            manager.sh(f"mv {FILE} /tmp/page.json")
            text = guest.ask("/pool/machines")[2]
            must("wow-pool, which looks at the pool, does not answer" in text and "Nothing is known of it yet" in text, text)
        finally:
            manager.sh("systemctl start wow-pool.service")
        until(lambda: guest.ask("/pool/machines")[2], lambda text: ">beta<" in text and "does not answer" not in text, "it is back", pause=1)
    with tally.case("the collector away: the page says so within seconds and shows what it said last"):
        manager.sh("pkill -STOP -x condor_collecto")
        try:
            forget(manager)
            begun = PROMISED.now()
            text = guest.ask("/pool/machines")[2]
            took = PROMISED.now() - begun
            must("does not answer wow-pool: collector: no answer in time" in text and ">beta<" in text and took < 10, f"{took} s: {text}")
        finally:
            manager.sh("pkill -CONT -x condor_collecto")
        forget(manager)
        until(lambda: guest.ask("/pool/machines")[2], lambda text: "does not answer" not in text, "it is back", pause=5)
    with tally.case("ipopd away: the overview says so and shows the rest"):
        manager.sh("systemctl stop ipopd")
        try:
            text = guest.ask("/pool")[2]
            must("ipopd, does not answer" in text and "Machines" in text, text)
        finally:
            manager.sh("systemctl start ipopd")


def gone(tally, house):
    """beta's HTCondor is stopped, as where the machine is switched off."""
    with tally.case("a machine that goes stands among those that are off, and is no such one when it is back"):
        guest = logged_in(house)
        must(">beta<" not in guest.ask("/pool/machines?kind=off")[2], "it is off already")
        house.beta.sh("systemctl stop condor.service")
        try:
            text = until(lambda: guest.ask("/pool/machines?kind=off")[2], lambda text: ">beta<" in text, "beta is off", pause=5)[0]
            must(OWNER in text, text[text.index(">beta<"):][:300])
        finally:
            house.beta.sh("systemctl start condor.service")
        until(lambda: guest.ask("/pool/machines?kind=off")[2], lambda text: ">beta<" not in text, "beta is back", pause=5)


def asker(house):
    """Somebody at the manager's page who is not in."""
    return Asker(house.client, ADDRESS)


def code(house):
    """A code for the manager's page."""
    return house.manager.run("runuser", "-u", "wow-console", "--", "/usr/lib/wow/node/ask", "login").stdout.strip()


def logged_in(house):
    """Somebody who is in there."""
    guest = asker(house)
    status, headers, text = guest.ask("/login", {"code": code(house)})
    must(status == 303, f"the code is not taken: {status} {headers} {text}")
    return guest


def stamp(manager):
    """When the snapshot was tried, in seconds since the machine started."""
    return json.loads(manager.run("cat", FILE).stdout)["tried"]


def forget(manager):
    """As if nobody had looked for minutes."""
    manager.sh(f"""sed -i 's/"tried":[0-9.]*/"tried":0/' {FILE}; systemctl try-restart wow-pool.service""")
    if manager.run("systemctl", "is-active", "wow-pool.service", check=False).stdout.strip() == "active":
        until(lambda: manager.run("ss", "-Hlx", "src", SOCKET).stdout, lambda said: SOCKET in said, "wow-pool listens")


def processor(manager):
    """Seconds of a processor that wow-pool has taken, HTCondor's tools with it."""
    said = manager.run("cat", "/sys/fs/cgroup/system.slice/wow-pool.service/cpu.stat").stdout.split()
    return int(said[said.index("usage_usec") + 1]) / 1e6
