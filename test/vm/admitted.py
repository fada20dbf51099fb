"""A pool in which every machine waits for an administrator's word, who gives it in a real browser, through ssh, as docs/admin.md says: one comes in, one is denied,
and both are taken back. The CA is the pool's own, and what it decides counts for machines that run."""

import json
import os
import subprocess

import browser
import cleanup
import echo
import evidence
import explain
import patience
import probe
import rootshell
import sites
import story
from lab import Lab
from login import ADMIN
from network import inside
from shell import LabError
from tally import must

PORT = 4481
PAGE = f"http://localhost:{PORT}/ca"
SHOT = "ca.png"
"""Where a picture of the page is left, in the run's folder: docs/ca.png is one of them."""
FIRST, ADMITTED, DENIED = story.EVERY
FIND = "Take a machine back: its name, address or serial number"


def run(tally, folder, setup, say, keep=False):
    """Makes the pool, and ends its machines unless they are kept."""
    with tally.case("a browser can be had: Debian's Chromium and Playwright") as browsers:
        modules = browser.install()
    if not browsers.passed:
        return
    lab, former = Lab(folder, setup, say, boot=rootshell.options), tally.explain
    tally.explain = lambda error: explained(lab, error, os.path.join(folder, "failed", f"admitted-{tally.failed}"))
    try:
        tell(tally, lab, modules)
    finally:
        tally.explain = former
        if not keep:
            lab.stop_recording()
            for vm in lab.vms.values():
                vm.pull_plug()
            cleanup.stop()


def explained(lab, error, place):
    """What is told of a case that failed, with the machines' logs."""
    kept = evidence.collect(lab, place)
    return explain.failure(error, lab.consoles, kept) if isinstance(error, LabError) else [f"{type(error).__name__}: {error}", *explain.kept(kept)]


def tell(tally, lab, modules):
    """All of it, in this order."""
    lab.build(sites.POOL)
    carol = lab.login(FIRST, ADMIN)
    with tally.case("`wow-ca policy manual`, typed while no wow-ca serves, says when it does; from then on every new machine waits") as policy:
        lab.power_on(FIRST)
        lab.wait("ready", FIRST)
        carol.wait(patience.seconds("login"))
        probe.root(FIRST, "systemctl stop wow-ca.service")
        said = carol.run("wow-ca policy manual", check=False)
        told = ("No wow-ca serves on this machine now", "wow doctor there says so")
        must(said.returncode == 2 and all(word in said.stderr for word in told), f"{said.stdout}{said.stderr}")
        probe.root(FIRST, "systemctl start wow-ca.service")
        probe.until(lambda: carol.run("wow-ca policy manual", check=False), lambda done: done.returncode == 0, "command", "the policy is not set")
    if not policy.passed:
        return
    keys = {}
    with tally.case("two machines come, say that they wait and for whose word, and the CA knows them by the keys that they show") as come:
        lab.power_on(ADMITTED, DENIED)
        for name in (ADMITTED, DENIED):
            probe.complaint(lab, name, "waits for the pool's administrator", "wow-ca approve KEY")
            keys[name] = probe.status(name)["node"]
        waiting = {one["host"]: one["key"] for one in json.loads(carol.run("wow-ca requests --json").stdout)["requests"]}
        must(waiting == keys, f"{waiting}, and the machines show {keys}")
    if not come.passed:
        return
    page = browser.Browser(inside(sites.INTERNET), modules)
    try:
        with Tunnel(lab):
            decides(tally, lab, carol, page, keys)
            drains(tally, lab, carol, page)
        # The manager was switched off and on.
        with Tunnel(lab):
            takes_back(tally, lab, carol, page)
    finally:
        page.close()


def enter(page, carol, script):
    """By the link that `wow-ca page` prints."""
    page.begin(script=script)
    page.open(url=carol.run("wow-ca page").stdout.split()[0])
    page.press(button="Log in as administrator")
    page.shows(text="Who waits")


def decides(tally, lab, carol, page, keys):
    """Approve and deny."""
    with tally.case("with script: approved by a button, the machine that waited is in its pool by itself"):
        enter(page, carol, True)
        for key in keys.values():
            page.shows(text=key)
        page.shot(path=os.path.join(lab.folder, SHOT))
        page.press(button=f"Approve {ADMITTED}, {keys[ADMITTED]}")
        page.gone(text=f"{ADMITTED}, {keys[ADMITTED]}")
        lab.wait("ready", ADMITTED)
        probe.until(lambda: probe.slots(lab, FIRST), lambda found: found == {ADMITTED}, "pool", "the pool does not have its slot, or has another one's")
        must(not page.complaints(), f"the browser complains: {page.complaints()}")
    with tally.case("without script: denied by a button, the other one says so and gets no certificate, until an administrator approves its key after all"):
        enter(page, carol, False)
        page.press(button=f"Deny {DENIED}, {keys[DENIED]}")
        page.shows(text="No machine waits.")
        probe.complaint(lab, DENIED, "administrator denied this machine",
                        f"no ticket changes that. If it shall come all the same, he types: wow-ca approve {keys[DENIED]}")
        must(not probe.status(DENIED)["certified"], "it is certified")
        must(keys[DENIED] in carol.run(f"wow-ca approve {keys[DENIED]}").stdout, "its key is not approved")
        lab.wait("ready", DENIED)


def drains(tally, lab, carol, page):
    """A machine gets no more jobs, and gets them again."""
    with tally.case("without script: drained by the page, the manager's negotiator and the machine itself know it, and it outlives the power of both"):
        enter(page, carol, False)
        page.fill(label="Give a machine no more jobs: its name or address", text=ADMITTED)
        page.press(button="Look what draining does")
        page.press(button="Give it no more jobs")
        page.shows(text="Give it jobs again")
        known(True)
        for name in (FIRST, ADMITTED):
            lab.vms[name].reset()
        probe.until(lambda: probe.slots(lab, FIRST), lambda found: ADMITTED in found, "pool", "the machine does not come back")
        known(True)
    with tally.case("with `wow pool drain`: an administrator sees it, ends it, and the page's timeline says who did what"):
        carol.wait(patience.seconds("login"))
        told = json.loads(carol.run("wow pool drain --json").stdout)
        must([one["host"] for one in told["drained"]] == [ADMITTED], f"{told}")
        carol.run(f"wow pool drain {ADMITTED} --end")
        known(False)
        refused = carol.run("wow pool drain '<b>nobody</b>'", check=False)
        must(refused.returncode == 2 and "is no machine with a good certificate" in refused.stderr, f"{refused.stdout}{refused.stderr}")
        said = carol.run("wow-ca overview").stdout
        must(f"by={ADMIN}/page what=drain {ADMITTED}" in said and f"by={ADMIN} what=drain {ADMITTED} --end" in said, said)


def known(is_drained):
    """Waits until the manager's negotiator and the machine know it."""
    probe.until(lambda: probe.root(FIRST, "cmp -s /run/wow/condor-drained.conf /run/wow/condor-drained.read && cat /run/wow/condor-drained.read || :"),
                lambda said: said and (ADMITTED in said) == is_drained, "pool", "the negotiator is not told")
    probe.until(lambda: probe.root(ADMITTED, "wow status || :"), lambda said: said and ("by the pool's administrator" in said) == is_drained, "pool",
                "the machine does not say so")


def takes_back(tally, lab, carol, page):
    """Revoke."""
    addresses = {name: probe.joined_status(name)["address"] for name in (ADMITTED, DENIED)}
    for script, name in ((False, ADMITTED), (True, DENIED)):
        how = "with script" if script else "without script"
        with tally.case(f"{how}: the page says what a revocation does, does it when the name was typed, and that machine is heard no more"):
            probe.until(lambda name=name: echo.answers(FIRST, addresses[name]), bool, "command", f"{FIRST} cannot ping {name} before")
            enter(page, carol, script)
            page.fill(label=FIND, text=name)
            page.press(button="Look what that does")
            page.shows(text="its key gets no certificate again")
            page.fill(label=f"Type its name, {name}, once more", text=FIRST)
            page.press(button="Take it back for good")
            page.shows(text="That is not its name")
            must(name not in revoked(carol), "it is done by a wrong name")
            page.fill(label=f"Type its name, {name}, once more", text=name)
            page.press(button="Take it back for good")
            page.shows(text=f"{name} is taken back")
            must(name in revoked(carol), "the CA has it still")
            probe.until(lambda name=name: echo.answers(FIRST, addresses[name]), lambda heard: not heard, "command", f"{FIRST} still pings {name}")
            probe.until(lambda name=name: probe.status(name), knows, "ring", f"{name} does not say that it was revoked")
    with tally.case("the audit and the page's timeline name the administrator of each of these acts"):
        page.open(url=PAGE)
        text = page.text()
        for what in ("approve", "deny", "revoke"):
            must(f"by={ADMIN}/page what={what} " in text, f"{what}: {text}")
        must(json.loads(carol.run("wow-ca list --json").stdout)["audit_whole"], "the audit is not whole")


def knows(now):
    """Whether a machine's status says that it was revoked."""
    return any("revoked" in one["text"] for one in now.get("warnings", [])) and not now["certified"]


def revoked(carol):
    """Names of machines that were taken back."""
    return {row["host"] for row in json.loads(carol.run("wow-ca list --json").stdout)["certificates"] if row["status"] == "revoked"}


class Tunnel:
    """`ssh -L` from the manager's network, as docs/admin.md has an administrator type it."""

    def __init__(self, lab):
        manager = sites.MANAGER
        self._process = subprocess.Popen(
            inside(manager.namespace, "ssh", "-N", "-L", f"{PORT}:localhost:80", "-i", lab.setup.key, "-F", "none", "-o", "BatchMode=yes",
                   "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "-o", "ExitOnForwardFailure=yes",
                   f"{ADMIN}@{manager.address}"),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        """Once somebody listens at its port."""
        listens = ("ss", "-Hltn", "sport", f"= :{PORT}")
        probe.until(lambda: subprocess.run(inside(sites.INTERNET, *listens), capture_output=True, text=True, check=True).stdout + str(self._process.poll() or ""),
                    lambda said: said, "login", "ssh does not listen")
        must(self._process.poll() is None, "ssh ended")
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.communicate()
