"""A machine without a pool, from its first start to its pool and out of it again: by its web page alone, with script and without."""

import functools

from asking import Asker, connect
from browser import Browser
from house import DESK_ADDRESS
from pool import GATEWAY, NAME
from tally import must
from volunteers import looked
from waiting import until

PAGE = f"http://{DESK_ADDRESS}/"
TICKET = "t1:hushhush"
LARGEST = 65536


def run(tally, house, modules):
    """The desk has no pool.conf; beta is in the pool."""
    desk = house.desk
    with tally.case("a machine without a pool.conf has its page, and its screen says so and where it is") as begun:
        desk.start()
        until(lambda: desk.run("cat", "/run/wow/near", check=False).stdout, bool, "it knows its network")
        until(lambda: desk.sh("systemctl is-active wow-web.socket; :").strip(), lambda said: said == "active", "the socket listens")
        must(desk.run("systemctl", "--failed", "--plain", "--no-legend", check=False).stdout.split()[:1] in ([], ["wow-config.service"]), "something else failed")
    with tally.case("of such a machine the page is reached by its own network, and nothing else of it by anybody") as reached:
        connect(house.client, DESK_ADDRESS).close()
        for who, port in ((house.client, 22), (house.far, 80), (house.far, 22)):
            must(not reaches(who, port), f"{who} reaches {port}")
        must(desk.run("python3", "-c", CALLS, GATEWAY, check=False).stdout == "", "it calls out")
    if not (begun.passed and reached.passed) or isinstance(modules, str):
        return
    text = config(house)
    hostile(tally, house, text)
    page = Browser(["ip", "netns", "exec", house.client], modules)
    for script in (True, False):
        joins(tally, house, page, script, text)
    page.close()


CALLS = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], 53), 5).close()
    print("reached")
except OSError:
    pass
"""


def reaches(who, port):
    """Whether a connection to the desk comes about."""
    try:
        connect(who, DESK_ADDRESS, port, 5).close()
    except OSError:
        return False
    return True


def config(house):
    """The pool.conf that the desk's owner was sent."""
    house.desk_config["node"]["time-zone"] = "Asia/Kathmandu"
    return "".join(f"[{section}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items()) for section, keys in house.desk_config.items())


def guest(house, machine, address):
    """Somebody who is in at a machine's page, and the key of the forms."""
    asker = Asker(house.client, address)
    code = machine.run("runuser", "-u", "wow-console", "--", "/usr/lib/wow/node/ask", "login").stdout.strip()
    must(asker.ask("/login", {"code": code})[0] == 303, "the code is not taken")
    return asker, asker.key()


def hostile(tally, house, text):
    """What is no pool.conf of its own."""
    desk = house.desk

    def refused(status, words, **form):
        found, _, said = asker.ask("/join", form | {"key": key})
        must(found == status and all(word in said for word in words), f"{form.keys()}: {found} {said[:1500]}")

    with tally.case("a pool.conf that is none, of a manager, too long, with a bad ticket, or from nobody: each is told in the reader's words, and nothing is kept"):
        asker, key = guest(house, desk, DESK_ADDRESS)
        number = text.splitlines().index("[node]") + 2
        refused(400, ["[node] hsot", f"line {number}", "Remove it, or use one of"], text=text.replace("[node]\n", "[node]\nhsot = x\n"))
        refused(400, ["pool.conf", "line 1 is neither"], text="<script>alert(1)</script>")
        refused(400, ["no pool.conf was given"], text="  \r\n")
        refused(400, ["is of a manager"], text=text.replace("role = login", "role = manager"))
        refused(400, [f"is longer than {LARGEST} bytes"], text=text + "a" * LARGEST)
        refused(400, ["the ticket is not ID:SECRET"], text=text, ticket="<b>x</b> y")
        for form, status in (({"text": text}, 401), ({"text": text, "key": key[:-1]}, 401)):
            must(Asker(house.client, DESK_ADDRESS).ask("/join", form)[0] == status, "nobody may")
        must(asker.ask("/join", {"text": text, "key": key[:-1]})[0] == 403, "another site may")
        must(asker.ask("/login", "code=" + "x" * 20000)[0] == 413, "every form may be as long")
        must(not (desk.folder / "state/pool.conf").exists() and desk.run("systemctl", "is-system-running", check=False).stdout.strip() != "stopping", "it is taken")
    with tally.case("a machine that has a pool takes no pool.conf, says that nothing was changed, and what to do"):
        kept = (house.beta.folder / "state/pool.conf").read_bytes()
        asker, key = guest(house, house.beta, "192.0.2.11")
        refused(409, ["nothing was changed", "leave this one"], text=text.replace(f"name = {NAME}", "name = other"))
        must(asker.ask("/join")[0] == 409 and (house.beta.folder / "state/pool.conf").read_bytes() == kept, "it is changed")


def joins(tally, house, page, script, text):
    """From nothing into the pool and out again."""
    desk, how = house.desk, "with script" if script else "without script"
    with tally.case(f"{how}: a bad file is told, a good one with its ticket is taken, and the machine starts again and joins"):
        # axe-core needs script.
        look = functools.partial(looked, page) if script else lambda which: None
        page.begin(script=script, **({"scheme": "dark", "width": 360} if script else {}))
        page.open(url=PAGE)
        page.fill(label="Code", text=desk.run("runuser", "-u", "wow-console", "--", "/usr/lib/wow/node/ask", "login").stdout.strip())
        page.press(button="Log in")
        page.shows(text="This machine has no pool yet")
        look("join")
        file = house.client_folder / "pool.conf"
        file.write_text(text + "[colour]\n", encoding="utf-8")
        page.upload(label="The file pool.conf", path=str(file))
        page.fill(label="Ticket, if you were sent one", text=TICKET)
        page.press(button="Join the pool")
        page.shows(text="is not a section of pool.conf")
        look("join, refused")
        if script:
            large = house.client_folder / "science.ova"
            large.write_text("x" * (LARGEST + 1), encoding="utf-8")
            page.upload(label="The file pool.conf", path=str(large))
            page.press(button="Join the pool")
            must("is longer than" in page.invalid(), page.invalid())
            file = house.client_folder / "good.conf"
            file.write_text(text, encoding="utf-8")
            page.upload(label="The file pool.conf", path=str(file))
        else:
            page.fill(label="Or its text", text=text)
        page.press(button="Join the pool")
        page.shows(text="It joins its pool")
        look("joins")
        until(lambda: desk.is_on, lambda on: not on, "it starts again")
        must((desk.folder / "state/pool.conf").read_text(encoding="utf-8") == text, "another file is kept")
        must((desk.folder / "state/ticket").stat().st_mode & 0o777 == 0o600, "its ticket may be read")
        desk.start()
        desk.wait()
        must(desk.run("cat", "/run/wow/ticket").stdout.strip() == TICKET, "it has no ticket")
        must(desk.address is not None, "it has no address")
        must(desk.run("date", "+%z").stdout.strip() == "+0545", "it has another time zone")
        must("hush" not in desk.run("journalctl", "-q").stdout, "the ticket is in the journal")
    with tally.case(f"{how}: it leaves by its page; started again it has no pool and takes another"):
        asker, key = guest(house, desk, DESK_ADDRESS)
        must(asker.ask("/leave", {"key": key, "sure": "yes"})[0] == 200, "it does not leave")
        until(lambda: desk.is_on, lambda on: not on, "it is switched off")
        must(not (desk.folder / "state/ticket").exists() and not (desk.folder / "state/pool.conf").exists(), "it keeps something")
        desk.start()
        until(lambda: desk.sh("systemctl is-active wow-web.socket; :").strip(), lambda said: said == "active", "the socket listens")
        must("no pool yet" in guest(house, desk, DESK_ADDRESS)[0].ask()[2], "it has a pool")
