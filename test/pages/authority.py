"""The CA's pages on the manager that has the CA: a wow-ca that serves, an administrator who comes through ssh with a real browser, and everybody who may not."""

import json
import re
import shutil
import sqlite3
import subprocess

from asking import Asker
from browser import Browser
from house import ADDRESS
from pool import FIRST
from tally import must
from volunteers import PHONE, WIDE, looked
from waiting import until

MANAGER = f"192.0.2.{FIRST}"
CA = "/usr/bin/wow-ca"
STATE = "/var/lib/wow/ca"
PAGE = "http://localhost:4481/ca"
MAKE = f"""/usr/lib/wow/ca/wow-ca init --state {STATE} --pool pool --subnet 10.128.0.0/16
/usr/lib/wow/ca/wow-ca manager --state {STATE} --out /var/lib/wow --host manager
for host in mira nora olga; do
    number=$((number + 1)) && /usr/lib/wow/ca/wow-ca machine --state {STATE} --out /run/$host --address 10.128.9.$number --host $host
done
echo ADDRESS=127.0.0.1 > /run/wow/ca-address
sed -i 's/^wow-admin:.*/wow-admin:x:987:alice/' /etc/group
systemctl start wow-ca
"""
"""The pool is open, so its manager has no CA of its own: here is one, as `wow pool create` would make it."""
KEYS = {name: f"{number:040x}" for number, name in enumerate(("ada", "berta", "cleo", "dora"), 0xA11CE)}
ASK = """
import json, os, socket, sys
os.setgroups([987])
os.setgid(990)
os.setuid(988)
for line in sys.argv[1:]:
    with socket.socket(socket.AF_UNIX) as link:
        link.connect("/run/wow-ca/admin.sock")
        link.sendall(line.encode() + b"\\n")
        print(link.makefile().readline(), end="")
"""
"""As the web page's account asks, and as one could that broke into it."""


class Tunnel:
    """`ssh -L` from the computer beside the machines, by alice's key."""

    def __init__(self, house, folder):
        self._house = house
        key = f"{folder}/alice"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        with open(f"{key}.pub", encoding="ascii") as public:
            house.manager.sh(f"mkdir -p .ssh; echo '{public.read().strip()}' > .ssh/authorized_keys", "alice")
        self._process = subprocess.Popen(
            ["ip", "netns", "exec", house.client, "ssh", "-N", "-L", "4481:localhost:80", "-i", key, "-F", "none", "-o", "StrictHostKeyChecking=no", "-o", f"UserKnownHostsFile={folder}/known",
             "-o", "ExitOnForwardFailure=yes", f"alice@{MANAGER}"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def close(self):
        """Ends it."""
        self._process.terminate()
        self._process.communicate()


def code(house):
    """The link that alice gets, and its code."""
    said = json.loads(house.manager.sh(f"{CA} page --json", "alice"))
    return said["link"], said["code"]


def asked(house):
    """What the CA's audit has of commands that were asked for."""
    return [row["detail"] for row in told(house, "overview")["decisions"] if row["event"] == "asked"]


def told(house, *words):
    """What the CA says to root."""
    return json.loads(house.manager.run(CA, *words, "--json").stdout)


def states(house):
    """{key: where it stands}."""
    return {row["key"]: row["state"] for row in told(house, "requests", "--all")["requests"]}


def revoked(house):
    """Names of machines that were taken back."""
    return sorted(row["host"] for row in told(house, "list")["certificates"] if row["status"] == "revoked")


def ask_for(house):
    """Has machines wait, as the CA keeps what they asked for. SQLite follows links by itself, and gets lost in another process's root: so it works on a copy."""
    kept, copy = f"/proc/{house.manager.first}/root{STATE}/ca.db", f"{house.folder}/ca.db"
    house.manager.sh("systemctl stop wow-ca")
    shutil.copyfile(kept, copy)
    with sqlite3.connect(copy) as database:
        database.executemany("INSERT OR REPLACE INTO admissions VALUES (?, 'waiting', ?, ?, NULL, unixepoch() - 100, unixepoch(), 0)",
                             [(key, f"10.128.8.{number}", name) for number, (name, key) in enumerate(KEYS.items())])
    database.close()
    shutil.copyfile(copy, kept)
    house.manager.sh("systemctl start wow-ca")
    until(lambda: house.manager.run("test", "-S", "/run/wow-ca/admin.sock", check=False).returncode, lambda code_: code_ == 0, "the CA serves again")


def drained(house):
    """Names of machines that get no jobs."""
    return [row["host"] for row in told(house, "overview")["drained"]]


def run(tally, house, modules, out):
    """All of it."""
    if isinstance(modules, str):
        return
    with tally.case("the manager has a CA that serves, and its machine's page leads to that's") as made:
        house.manager.sh(MAKE)
        until(lambda: house.manager.run("test", "-S", "/run/wow-ca/admin.sock", check=False).returncode, lambda code_: code_ == 0, "the CA serves")
        ask_for(house)
    if not made.passed:
        return
    strangers(tally, house)
    tunnel = Tunnel(house, house.folder)
    page = Browser(["ip", "netns", "exec", house.client], modules)
    try:
        administrator(tally, house, page)
        looks(tally, house, page, out)
        ends(tally, house, page)
    finally:
        page.close()
        tunnel.close()


def strangers(tally, house):
    """Who may not."""
    with tally.case("over a network the page shows the line for ssh alone, and a machine without the CA says so"):
        for path, form in (("/ca", None), ("/ca/revoke?machine=mira", None), ("/ca/login", {"code": code(house)[1]}), ("/ca/revoke", {"serial": "x", "name": "mira", "key": "x"})):
            for host in (MANAGER, "localhost:4481"):
                status, _, text = Asker(house.client, MANAGER).ask(path, form, host=host)
                must(status == 403 and "ssh -L 4481:localhost:80 NAME@" in text, f"{path}: {status} {text}")
        status, _, text = house.asker().ask("/ca")
        must(status == 404 and "does not run on this machine" in text, f"{ADDRESS}: {status} {text}")
    with tally.case("the web page's account can do nothing of itself at the CA, nor can a person who is no administrator"):
        lines = [json.dumps(one) for one in (
            {"words": ["revoke", "mira"]}, {"words": ["page"]}, {"page": "", "words": ["revoke", "mira"]}, {"page": "0" * 32, "words": ["overview"]}, {"code": "0" * 32})]
        said = house.manager.run("python3", "-c", ASK, *lines).stdout.splitlines()
        must([json.loads(one)["exit"] for one in said] == [4] * len(lines), f"{said}")
        must(house.manager.run("runuser", "-u", "bob", "--", CA, "revoke", "mira", check=False).returncode == 2, "bob may")
        must(revoked(house) == [], f"{revoked(house)}")
    with tally.case("a thousand guesses and a code that is wrong, used or not the newest let nobody in"):
        guest = Asker(house.manager_space, "127.0.0.1")
        older, good = code(house)[1], code(house)[1]
        must({guest.ask("/ca/login", {"code": f"{number:032x}"})[0] for number in range(1000)} == {401}, "one got in")
        must(guest.ask("/ca/login", {"code": older})[0] == 401 and not guest.cookie.partition("=")[2], "the older one is good")
        must(guest.ask("/ca/login", {"code": good})[0] == 303 and guest.cookie, "the good one is not")
        must(Asker(house.manager_space, "127.0.0.1").ask("/ca/login", {"code": good})[0] == 401, "it is good twice")
    with tally.case("a form of another site, without its key or after the login ended does nothing; the cookie is for these pages alone"):
        key = guest.ask("/ca")[2].partition('name="key" value="')[2].partition('"')[0]
        form = {"node": KEYS["ada"], "what": "approve", "key": key}
        must(guest.ask("/ca/decide", form, headers={"Origin": "http://localhost:9999"}.items())[0] == 403, "another site may")
        must(guest.ask("/ca/decide", form, headers={"Sec-Fetch-Site": "same-site"}.items())[0] == 403, "another port may")
        must(guest.ask("/ca/decide", {**form, "key": "x"})[0] == 403, "no key is needed")
        must(Asker(house.manager_space, "127.0.0.1").ask("/ca/decide", form)[0] == 401, "no cookie is needed")
        cookie = guest.cookie
        must(guest.ask("/ca/logout", {"key": key})[0] == 303, "it does not log out")
        guest.cookie = cookie
        must(guest.ask("/ca/decide", form)[0] == 401 and states(house)[KEYS["ada"]] == "waiting", "the login goes on")


def administrator(tally, house, page):
    """Each act, through ssh, with script and without."""
    for script, admit, refuse, machine in ((True, "ada", "berta", "mira"), (False, "cleo", "dora", "nora")):
        how = "with script" if script else "without script"
        with tally.case(f"{how}: by the link of `wow-ca page` an administrator approves, denies, makes and ends a ticket"):
            page.begin(script=script)
            page.open(url=code(house)[0])
            page.press(button="Log in as administrator")
            page.shows(text="The CA of pool")
            for what, name in (("Approve", admit), ("Deny", refuse)):
                page.press(button=f"{what} {name}, {KEYS[name]}")
                page.gone(text=f"{name}, {KEYS[name]}")
            must((states(house)[KEYS[admit]], states(house)[KEYS[refuse]]) == ("approved", "denied"), f"{states(house)}")
            page.fill(label="Machines", text="7")
            page.fill(label="until the end of", text="2999-01-31")
            page.press(button="Make a ticket")
            page.shows(text="A ticket was made")
            found = re.search(r"([0-9a-f]{8})-7-[0-9]+:[A-Za-z0-9_-]+", page.text())
            must(found, page.text())
            page.follow(link="Back to the CA's page")
            page.shows(text="Who waits")
            must(found[0] not in page.text(), "its secret is shown again")
            page.press(button=f"End ticket {found[1]}")
            page.shows(text="No ticket admits anybody")
        with tally.case(f"{how}: a machine gets no more jobs after a second look, and gets them again by a button beside its name"):
            page.fill(label="Give a machine no more jobs: its name or address", text="olga")
            page.press(button="Look what draining does")
            page.shows(text="goes on to its end")
            must(drained(house) == [], "a look does it")
            page.press(button="Give it no more jobs")
            page.shows(text="Who waits")
            must(drained(house) == ["olga"], f"{drained(house)}")
            page.press(button="Give it jobs again olga")
            page.shows(text="No machine is drained")
            must(drained(house) == [], f"{drained(house)}")
        with tally.case(f"{how}: a revocation says what it does, and is done when the machine's name was typed once more"):
            page.fill(label="Take a machine back: its name, address or serial number", text=machine)
            page.press(button="Look what that does")
            page.shows(text="its key gets no certificate again")
            page.fill(label=f"Type its name, {machine}, once more", text="olga")
            page.press(button="Take it back for good")
            page.shows(text="That is not its name")
            must(machine not in revoked(house), "it is done by a wrong name")
            page.fill(label=f"Type its name, {machine}, once more", text=machine)
            page.press(button="Take it back for good")
            page.shows(text=f"{machine} is taken back")
            must(revoked(house) == ["mira", "nora"][:1 if script else 2], f"{revoked(house)}")
            page.follow(link="Back to the CA's page")
            page.shows(text=f"host={machine}")
    with tally.case("the audit names the administrator of each act"):
        said = asked(house)
        for what in (f"approve {KEYS['ada']}", f"deny {KEYS['dora']}", "ticket --uses 7 --until 2999-01-31", "drain olga", "drain olga --end", "revoke "):
            must(any(one.startswith(f"by=alice/page what={what}") for one in said), f"{what}: {said}")
        must(not any("dry-run" in one or "overview" in one for one in said), f"{said}")
    with tally.case("what is no machine or has no jobs is not drained, and the answer says why"):
        for name, why in (("manager", "which runs no jobs"), ("<b>olga</b>", "is no machine with a good certificate"), ("--end", "begins with a dash"),
                          ("mira", "is no machine with")):
            page.open(url=PAGE)
            page.fill(label="Give a machine no more jobs: its name or address", text=name)
            page.press(button="Look what draining does")
            page.shows(text=why)
        must(drained(house) == [], f"{drained(house)}")
    with tally.case("the manager itself is not taken back by the page, nor is what is no machine, and the answer says why"):
        for name, why in (("manager", "is a manager"), ("nobody", "is no serial number"), ("--state", "begins with a dash")):
            page.open(url=PAGE)
            page.fill(label="Take a machine back: its name, address or serial number", text=name)
            page.press(button="Look what that does")
            page.shows(text=why)


def looks(tally, house, page, out):
    """How it looks, and to whom."""
    with tally.case("the cookie is for the CA's pages, and no script reads it"):
        cookie, = page.cookies()
        must((cookie["name"], cookie["path"], cookie["httpOnly"], cookie["sameSite"]) == ("wow-ca-4481", "/ca", True, "Strict"), f"{cookie}")
    with tally.case("axe-core finds nothing on the CA's pages, wide and light or as wide as a phone and dark"):
        ask_for(house)
        for scheme, width in (("light", WIDE), ("dark", PHONE)):
            page.begin(scheme=scheme, width=width)
            page.open(url=code(house)[0])
            looked(page, f"login, {scheme}")
            page.press(button="Log in as administrator")
            page.shows(text="Who waits")
            looked(page, f"overview, {scheme}")
            page.shot(path=str(out / f"ca-{scheme}-{width}.png"))
            page.fill(label="Take a machine back: its name, address or serial number", text="olga")
            page.press(button="Look what that does")
            page.shows(text="once more")
            looked(page, f"revoke, {scheme}")
            page.open(url=PAGE)
            page.fill(label="Give a machine no more jobs: its name or address", text="olga")
            page.press(button="Look what draining does")
            page.shows(text="goes on to its end")
            looked(page, f"drain, {scheme}")
    with tally.case("by keyboard alone an administrator approves a machine"):
        page.begin()
        page.open(url=code(house)[0])
        page.shows(text="Log in as administrator")
        page.focus(label="Code")
        page.keys(keys=["Enter"])
        page.shows(text="Who waits")
        for _ in range(20):
            page.keys(keys=["Tab"])
            if page.focused().startswith("Approve ada"):
                break
        page.keys(keys=["Enter"])
        page.gone(text=f"ada, {KEYS['ada']}")
        must(states(house)[KEYS["ada"]] == "approved", f"{states(house)}")


def ends(tally, house, page):
    """What ends a login, and what is said where the CA is away."""
    with tally.case("who is no administrator any more does nothing, though the browser is still in"):
        page.open(url=PAGE)
        house.manager.sh("sed -i 's/^wow-admin:.*/wow-admin:x:987:/' /etc/group")
        page.press(button=f"Approve berta, {KEYS['berta']}")
        page.shows(text="no administrator is logged in")
        must(states(house)[KEYS["berta"]] == "waiting", "it was done")
        house.manager.sh("sed -i 's/^wow-admin:.*/wow-admin:x:987:alice/' /etc/group")
        page.open(url=PAGE)
        must("Log in as administrator" in page.text(), page.text())
    with tally.case("the CA away: the page says so and what to look at; after its start one logs in anew"):
        page.open(url=code(house)[0])
        page.press(button="Log in as administrator")
        page.shows(text="Who waits")
        house.manager.sh("systemctl stop wow-ca")
        page.press(button=f"Approve berta, {KEYS['berta']}")
        page.shows(text="The CA does not answer")
        must(page.open(url=PAGE) == 404 and "wow doctor" in page.text(), page.text())
        house.manager.sh("systemctl start wow-ca")
        until(lambda: page.open(url=PAGE), lambda status: status == 401, "the CA is back, and knows nobody")
        must(states(house)[KEYS["berta"]] == "waiting", "it was done")
