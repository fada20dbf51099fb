"""A pool with two managers and certificates, from the files that `wow pool create` and `wow pool manager add` make. The manager that matches jobs loses its power:
the other one matches within a minute, each machine's page shows the pool as that one tells it in a real browser, and who enrols waits for the CA."""

import dataclasses
import os
import pathlib
import re
import subprocess
import time

import browser
import cleanup
import evidence
import explain
import patience
import pools
import probe
import rootshell
import sites
import steal
from lab import Lab
from login import ADMIN
from network import inside
from shell import LabError
from tally import must

ROOT = pathlib.Path(__file__).resolve().parents[2]
POOL = "science"
FIRST, OTHER, WORKER, LATE = sites.MANAGER.name, sites.SECOND.name, sites.ALPHA.name, sites.BETA.name
WITHIN = 60.0
"""Seconds from a manager's end to the next match: what is promised."""
AGREED = 90.0
"""Seconds that two managers may take to agree which of them matches."""
STEADY = 40.0
"""Seconds that the one that came back begins to match nothing: two steps of HTCondor's HAD."""
WORD = "while [ ! -e go ]; do sleep 1; done; rm -f go; hostname"
GO = "find /var/lib/wow/execute -mindepth 1 -type d -exec touch {}/go ';'"
SUBMIT = """cat > %(name)s.sub <<'END'
executable = /bin/sh
arguments = "-c '%(script)s'"
output = %(name)s.out
log = %(name)s.log
should_transfer_files = yes
transfer_executable = false
queue
END
condor_submit -terse %(name)s.sub
"""


def run(tally, folder, setup, say, keep=False):
    """Makes the pool, and ends its machines unless they are kept."""
    with tally.case("a browser can be had: Debian's Chromium and Playwright") as browsers:
        modules = browser.install()
    if not browsers.passed:
        return
    pool, former = Pool(folder, setup, say), tally.explain
    tally.explain = lambda error: pool.explain(error, tally.failed)
    try:
        tell(tally, pool, modules)
    finally:
        tally.explain = former
        if not keep:
            pool.end()


def tell(tally, pool, modules):
    """All of it, in this order."""
    with tally.case("files of `wow pool create` and `wow pool manager add` become a pool of two managers and a worker, all of them ready"):
        pool.make()
        pool.start()
    if "ready" not in pool.lab.timeline.as_json().get(WORKER, {}):
        return
    carol, alice = pool.lab.login(FIRST, ADMIN), pool.lab.login(WORKER, "alice")
    with tally.case("each machine has the CA's list of both managers; one of them matches jobs, and one has the CA"):
        for name in (FIRST, OTHER, WORKER):
            told = probe.until(lambda name=name: listed(name), lambda found: found == [(FIRST, True), (OTHER, False)], "ring", f"{name} has another list of managers")
            must(len(told) == 2, f"{told}")
        agree((FIRST, OTHER), 0)
        must(authorities((FIRST, OTHER)) == [FIRST], "another one serves enrolment")
    with tally.case("an administrator lists certificates as docs/admin.md says"):
        carol.wait(patience.seconds("login"))
        said = carol.run("wow-ca list").stdout
        must(OTHER in said and "manager" in said, said)
    page = browser.Browser(inside(sites.ALPHA.namespace), modules)
    try:
        away(tally, pool, page, alice)
    finally:
        page.close()


def away(tally, pool, page, alice):
    """The manager that matches goes, and comes back."""
    with tally.case("a job runs on the worker, and the worker's page shows the pool as a manager tells it"):
        submit(alice, "running", WORD)
        starts(alice, "running")
        page.begin()
        page.open(url=alice.run("wow page").stdout.split()[0])
        page.press(button="Log in")
        page.follow(link="The whole pool")
        page.shows(text=f"as the manager {FIRST} told it")
        url = f"http://{sites.ALPHA.address}/pool"
        probe.until(lambda: (page.open(url=url), page.text())[1], lambda text: "1 running" in text, "table", "the page does not show the job")
    with tally.case(f"the manager that matches loses its power, and the other one matches the next job within {WITHIN:.0f} s"):
        must((matches := agree((FIRST, OTHER), 0)) == FIRST, f"{matches} matches; the first one was there alone before the other one came")
        pool.lab.vms[FIRST].pull_plug()
        pool.lab.vms[FIRST].let_end()
        since = steal.now()
        # Another person's: alice's queue may start a second job of hers on a claim that it has.
        number = submit(pool.lab.login(WORKER), "next", "hostname")
        probe.until(lambda: probe.root(OTHER, "cat /var/log/condor/MatchLog || :"), lambda log: f"Matched {number} " in log, "pool", f"{OTHER} does not match {number}")
        took = steal.now() - since
        print(f"     {FIRST} without power; the next match after {took:.1f} s", flush=True)
        must(took < WITHIN, f"it took {took:.1f} s")
        ends(pool.lab.login(WORKER), "next")
    with tally.case("the worker's page shows the pool as the other manager tells it, and when"):
        text = probe.until(lambda: (page.open(url=url), page.text())[1], lambda text: f"as the manager {OTHER} told it" in text, "table",
                           "the page does not ask the other one")
        when = re.search(rf"As of (.*), as the manager {OTHER} told it", text)
        print(f"     the page says: {when[0] if when else text}; now it is {time.strftime('%H:%M:%S', time.gmtime())} UTC", flush=True)
        # The queue tells the managers of a job that has just ended within minutes.
        must(re.search("[12] running", text) and not page.complaints(), text)
        page.shot(path=str(pathlib.Path(pool.lab.folder, "pool-of-other.png")))
    with tally.case("a machine that comes while the CA is away is on the ring, and is told to wait for it"):
        pool.lab.add(sites.BETA)
        pool.lab.power_on(LATE)
        pool.lab.wait("address", LATE)
        since = time.monotonic()
        probe.complaint(pool.lab, LATE, "enrolment", "the machine with the CA is away or busy, and it is tried again by itself")
        print(f"     told {time.monotonic() - since:.0f} s after the address was there", flush=True)
        must(pool.lab.vms[LATE].console.last("certificate") is None, "somebody gave it a certificate")
    with tally.case("the manager comes back: both are ready, one matches jobs, the other one as before, and one has the CA"):
        pool.lab.power_on(FIRST)
        pool.lab.wait("ready", FIRST)
        probe.until(lambda: slots(FIRST), bool, "pool", f"{FIRST} does not list the worker")
        must(agree((FIRST, OTHER), STEADY) == OTHER, "the one that came back took jobs away")
        must(authorities((FIRST, OTHER)) == [FIRST], "there is no CA, or there are two")
    with tally.case("the machine that waited for the CA is in its pool by itself"):
        pool.lab.wait("ready", LATE)
    with tally.case("the job that ran all the time was not lost"):
        log = alice.run("cat running.log").stdout
        must("\n005 " not in log, log)
        probe.root(WORKER, GO)
        log = ends(alice, "running")
        must(log.count("\n001 ") == 1 and "\n004 " not in log and "\n024 " not in log, f"it was started anew:\n{log}")


class Pool:
    """The files of a pool with two managers, and machines that start from them."""

    def __init__(self, folder, setup, say):
        self.place = pathlib.Path(folder, POOL)
        self.lab = None
        self._folder, self._setup, self._say = folder, setup, say

    def make(self):
        """As docs/admin.md says."""
        key = f"{self._setup.key}.pub"
        self._wow("create", POOL, "--folder", self.place, "--at", f"{sites.MANAGER.public}:{sites.OVERLAY_PORT}", "--user", f"alice={key}", "--user", f"lab={key}",
                  "--admin", f"{ADMIN}={key}")
        self._wow("manager", "add", self.place, OTHER, "--at", f"{sites.SECOND.public}:{sites.OVERLAY_PORT}")
        theirs = os.fspath(self.place / f"for-volunteers/{POOL}-config.img")
        configs = {FIRST: os.fspath(self.place / f"for-manager/{POOL}-manager-config.img"),
                   OTHER: os.fspath(self.place / f"for-manager-{OTHER}/{POOL}-manager-{OTHER}-config.img"), **dict.fromkeys((WORKER, LATE), theirs)}
        image, pool = os.fspath(self.place / f"for-volunteers/{POOL}.qcow2"), pools.Pool(pools.Folder(self.place), pools.Clone())
        setup = dataclasses.replace(self._setup, pool=pool, image=image, configs=configs)
        # The worker has two jobs at a time; the last -smp counts.
        self.lab = Lab(self._folder, setup, self._say, boot=lambda name: (*rootshell.options(name), *(("-smp", "2") if name == WORKER else ())))

    def _wow(self, *words):
        """`wow pool ...`; what it prints has the recovery key."""
        begin = time.monotonic()
        done = subprocess.run([ROOT / "appliance/wow", "pool", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self._say(f"wow pool {words[0]} ended after {time.monotonic() - begin:.1f} s")
        must(done.returncode == 0, done.stderr)

    def start(self):
        """The first manager alone, so that it is the one that matches."""
        self.lab.build((sites.MANAGER, sites.SECOND, sites.ALPHA))
        self.lab.power_on(FIRST)
        self.lab.wait("certificate", FIRST)
        self.lab.power_on(OTHER, WORKER)
        self.lab.wait("ready", FIRST, OTHER, WORKER)
        self.lab.login(WORKER, "alice").wait(patience.seconds("login"))

    def explain(self, error, number):
        """What is told of a case that failed, with the machines' logs."""
        place = evidence.collect(self.lab, os.path.join(self._folder, "failed", f"takeover-{number}")) if self.lab else None
        consoles = self.lab.consoles if self.lab else {}
        return explain.failure(error, consoles, place) if isinstance(error, LabError) else [f"{type(error).__name__}: {error}", *explain.kept(place)]

    def end(self):
        """Ends all machines and networks."""
        if self.lab:
            self.lab.stop_recording()
            for vm in self.lab.vms.values():
                vm.pull_plug()
        cleanup.stop()


def listed(name):
    """[(host, whether it has the CA)] of the managers that a machine knows."""
    return [(one["host"], one["ca"]) for one in probe.status(name).get("managers", [])]


def matching(names):
    """Those of the managers whose negotiator runs."""
    return [name for name in names if probe.root(name, "pgrep -x condor_negotiat || :")]


def authorities(names):
    """Those of the managers that serve the CA."""
    return [name for name in names if probe.root(name, "systemctl is-active wow-ca.service || :") == "active"]


def agree(names, steady):
    """Waits until one manager matches, and no other for so many seconds; its name."""
    limit = steal.now() + AGREED
    while len(found := matching(names)) != 1:
        must(steal.now() < limit, f"{found} match")
        time.sleep(1)
    end = steal.now() + steady
    while steal.now() < end:
        must(matching(names) == found, f"{matching(names)} match, {found} before")
        time.sleep(1)
    return found[0]


def slots(name):
    """The machines whose slots a manager's collector has."""
    return set(probe.root(name, f"condor_status -pool {name}.{POOL}.internal -af Machine || :").split())


def submit(user, name, script):
    """Submits a job of a user on the worker; its number, as CLUSTER.PROCESS."""
    return user.run(SUBMIT % {"name": name, "script": script}).stdout.split()[0]


def starts(user, name):
    """Waits until a job runs."""
    probe.until(lambda: user.run(f"cat {name}.log").stdout, lambda log: "\n001 " in log, "pool", f"{name} does not start")


def ends(user, name):
    """Waits until a job is done; its log."""
    return probe.until(lambda: user.run(f"cat {name}.log").stdout, lambda log: "\n005 " in log, "pool", f"{name} does not end")
