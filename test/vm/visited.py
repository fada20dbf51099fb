"""What a real browser does from outside beta, on the computer that beta runs on and beside it: by the port that VirtualBox would forward, and by beta's own address."""

import os
import re

import browser
import probe
from login import USER
from network import inside
from screen import Screen
from shell import run as run_program
from tally import must

OWNER = ("-smbios", "type=1,product=VirtualBox", "-netdev", "user,id=owner,restrict=on,hostfwd=tcp:127.0.0.1:4480-:80,hostfwd=tcp:127.0.0.1:4422-:22",
         "-device", "virtio-net-pci,netdev=owner,romfile=")
"""A second card as VirtualBox's NAT with what our OVA has forwarded: the guest sees 10.0.2.15, its owner's computer comes from 10.0.2.2. No way leads out by
it (restrict)."""
WEB, SSH = r"^web +(http://localhost:4480)  in a browser", r"^login +ssh (-p 4422) NAME@localhost "
CODE = r"web page is (\S{5}-\S{5}),"
SHOT = "page.png"


def run(tally, lab):
    """beta is in the pool; it gets another card, and keeps it until it is switched on again."""
    beta = lab.vms["beta"]
    screen = Screen(lambda: beta.qmp(30), lab.folder)

    def shows(word, wait="table"):
        """Waits until the screen shows what the pattern says; returns all of it."""
        return probe.until(screen.text, lambda said: re.search(word, said, re.MULTILINE), wait, f"beta's screen does not show {word!r}")

    with tally.case("switched on with a card as VirtualBox's NAT, beta is in its pool by itself") as back:
        beta.let_end()
        beta.pull_plug()
        beta.power_on(*OWNER)
        probe.until(lambda: (lab.look(), [step.name for step in beta.console.steps])[1], lambda names: "ready" in names, "ready", "beta does not get ready")
        probe.until(lambda: probe.slots(lab), lambda found: "beta" in found, "pool", "beta's slot does not come back")
        shows("waits for jobs", "pool")
    if back.passed:
        visit(tally, lab, screen, shows)


def visit(tally, lab, screen, shows):
    """beta was switched on with OWNER, and waits for jobs."""
    said = {}
    with tally.case("behind VirtualBox's NAT the screen says which address to open and what to type on the owner's computer") as told:
        # The card may get its address after the others.
        probe.until(lambda: probe.root("beta", "cat /run/wow/near"), lambda near: "10.0.2." in near, "address", "the fence does not know the second card's network")
        text = shows("http://localhost:4480")
        said.update({name: re.search(pattern, text, re.MULTILINE) for name, pattern in (("web", WEB), ("ssh", SSH))})
        must(all(said.values()), text)
    if not told.passed:
        return
    with tally.case("a browser can be had: Debian's Chromium and Playwright") as browsers:
        page = browser.Browser(inside(lab.vms["beta"].machine.namespace), browser.install())
    if not browsers.passed:
        return
    try:
        forwarded(tally, lab, page, said, shows)
        beside(tally, lab, page, screen, shows)
    finally:
        page.close()


def forwarded(tally, lab, page, said, shows):
    """By the two ports, with script."""
    with tally.case("what the screen says lets a person of the pool in by ssh, and `wow page` there prints a link that logs a browser in, which pauses the machine"):
        link = run_program(*inside(
            lab.vms["beta"].machine.namespace, "ssh", *said["ssh"][1].split(), "-i", lab.setup.key, "-F", "none", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no",
            "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", f"{USER}@localhost", "wow page"), timeout=120).stdout.split()[0]
        must(link.startswith(f"{said['web'][1]}/?code="), link)
        page.begin()
        must(page.open(url=link) == 200, "no page")
        page.press(button="Log in")
        acts(page, shows)
        must(not page.complaints(), f"the browser complains: {page.complaints()}")
        page.shot(path=os.path.join(lab.folder, SHOT))


def beside(tally, lab, page, screen, shows):
    """By beta's own address from its network, without script."""
    with tally.case("from beside it, by its own address and without script: N shows a code, which logs in, and the page pauses the machine"):
        page.begin(script=False)
        must(page.open(url=f"http://{lab.vms['beta'].machine.address}/") == 200, "no page")
        screen.press("n")
        page.fill(label="Code", text=re.search(CODE, shows(CODE))[1])
        page.press(button="Log in")
        acts(page, shows)
        must(not page.complaints(), f"the browser complains: {page.complaints()}")


def acts(page, shows):
    """Pauses and resumes it; the screen shows the same."""
    page.shows(text="waits for jobs")
    page.choose(label="For", option="8 hours")
    page.press(button="Pause now")
    page.shows(text="by the web page")
    must("by the web page" in probe.root("beta", "wow status"), "wow status says something else")
    shows("Paused: jobs stand still")
    page.press(button="Resume now")
    page.shows(text="Jobs stand still at once")
    shows("waits for jobs")
