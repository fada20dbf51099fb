"""Who sits at beta's screen sees what the machine does, and has it in hand: the page is read from QEMU's picture, and keys come from its keyboard."""

import os
import re

import killed
import probe
from network import inside
from screen import Screen
from shell import run as run_program
from tally import must

SHOT = "console.png"
"""Where a picture of the page is left, in the run's folder: docs/console.png is one of them."""
LINES = "truncate -s 1M /run/none; for _ in 1 2 3; do mount -o loop -t ext4 /run/none /mnt || :; done; rm /run/none; dmesg | grep -c \"find ext4\""
"""Has the kernel complain; so often it did."""
PORT = 4480
OWNER = ("-netdev", f"user,id=owner,restrict=on,hostfwd=tcp:127.0.0.1:{PORT}-:80", "-device", "virtio-net-pci,netdev=owner,romfile=")
"""A second card as VirtualBox's NAT with our forwarding: the guest sees 10.0.2.15, its owner's computer comes from 10.0.2.2. No way leads out by it (restrict)."""
CURL = ("curl", "--silent", "--show-error", "--max-time", "120", "--write-out", "\n%{http_code}")
FROZEN = "cat /sys/fs/cgroup/system.slice/condor.service/htcondor/*/cgroup.freeze"
PSS = """for name in wow-console.service getty@tty2.service wow-jobs.service; do
  for pid in $(cat /sys/fs/cgroup/system.slice/$name/cgroup.procs /sys/fs/cgroup/system.slice/system-getty.slice/$name/cgroup.procs 2> /dev/null); do
    echo $name $(awk '/^(Rss|Pss):/ {print $1 $2}' /proc/$pid/smaps_rollup)
  done
done"""


def run(tally, lab):
    """beta is in the pool and idle; at the end it is switched off at its screen, and on again."""
    beta = lab.vms["beta"]
    screen = Screen(lambda: beta.qmp(30), lab.folder)
    alice = lab.login("alpha", "alice")

    def shows(word, wait="table"):
        """Waits until the screen shows what the pattern says; returns all of it."""
        return probe.until(screen.text, lambda said: re.search(word, said), wait, f"beta's screen does not show {word!r}")

    with tally.case("the screen shows pool, name, address, key and state, and what is read from its picture is what the kernel has there"):
        said = shows("waits for jobs", "ready")
        status = probe.status("beta")
        for word in (f"pool {status['pool']} ", f"{status['host']}.{status['zone']}", f"{status['address']}  in the pool", status["node"], "P pause"):
            must(word in said, f"{word!r} is not in:\n{said}")
        # The page may change between the two looks.
        probe.until(lambda: ([line.rstrip() for line in screen.text().split("\n")], probe.root("beta", "cat /dev/vcs1")),
                    lambda both: both[0][1:] == [both[1][at:at + 80].rstrip() for at in range(80, 2000, 80)], "table", "the picture and the kernel's screen differ")
        print("     " + probe.root("beta", PSS).replace("\n", "; "), flush=True)
    with tally.case("lines of the kernel do not scroll it away, and stand in the journal and on the serial port as before"):
        must(probe.root("beta", LINES).strip().endswith("3"), "the kernel says nothing")
        said = screen.text()
        must("ext4" not in said and "P pause" in said, said)
        probe.until(lambda: probe.root("beta", "journalctl -q -k | grep -c 'find ext4' || :").strip(), lambda count: count == "3", "command", "the journal has other lines")
        with open(beta.console.path, encoding="utf-8", errors="replace") as serial:
            must(serial.read().count("find ext4") == 3, "they are not on the serial port")
    with tally.case("a job's person and since when stand there while it runs"):
        alice.run(killed.WAITER)
        shows(r"runs +alice@\S+\.internal +since \d\d:\d\d", "pool")
        screen.dump(os.path.join(lab.folder, SHOT), "png")
    with tally.case("P pauses the machine: its job stands still; P again, and it goes on"):
        screen.press("p")
        shows("Paused: jobs stand still")
        probe.until(lambda: probe.root("beta", FROZEN).split(), lambda said: said == ["1"], "command", "the job goes on")
        probe.until(lambda: alice.run("wow jobs").stdout, lambda said: re.search(r"is suspended +beta ", said), "pool", "the queue does not say that its job stands still")
        screen.press("p")
        shows("It works: 1 job of its pool runs here")
        probe.until(lambda: probe.root("beta", FROZEN).split(), lambda said: said == ["0"], "command", "the job stands still")
        probe.root("beta", killed.GO)
        shows("waits for jobs", "pool")
    with tally.case("S leaves a support file for people of pool.conf"):
        screen.press("s")
        shows("support.tar.gz is written", "ready")
        said = probe.root("beta", "stat -c '%U %G %a' /run/wow-console/support.tar.gz; tar tzf /run/wow-console/support.tar.gz | head -n 3")
        must(said.startswith("wow-console wow 640\nwow-support/"), said)
    with tally.case("a part that is away is named there, with what is known"):
        probe.root("beta", "systemctl stop wow-agent.socket")
        try:
            shows("wow-agent does not listen")
            screen.press("p")
            shows("It was not done")
        finally:
            probe.root("beta", "systemctl start wow-agent.socket")
        probe.until(screen.text, lambda said: "does not listen" not in said, "table", "it is still named")
    with tally.case("Alt-F2 has a login, Alt-F1 the page"):
        screen.press("alt-f2")
        shows("login: ")
        screen.press("alt-f1")
        shows("P pause")
    with tally.case("Q is asked twice, another key is a no, and then the machine is off"):
        screen.press("q")
        shows("Switch this machine off")
        screen.press("n")
        shows("Nothing was done")
        beta.let_end()
        screen.press("q")
        shows("Switch this machine off")
        screen.press("y")
        shows("Really switch off now")
        screen.press("q")
        probe.until(lambda: beta.running, lambda running: not running, "ready", "beta does not end")
    with tally.case("switched on again it is in the pool by itself"):
        beta.power_on(*OWNER)
        probe.until(lambda: (lab.look(), [step.name for step in beta.console.steps])[1], lambda names: "ready" in names, "ready", "beta does not get ready")
        probe.until(lambda: probe.slots(lab), lambda found: "beta" in found, "pool", "beta's slot does not come back")
    with tally.case("from its owner's computer, by a forwarded port: N shows a code, which logs in to the web page, and that pauses the machine"):
        beside(lab, screen, shows)


def beside(lab, screen, shows):
    """What a browser on the computer that beta runs on does."""
    beta, jar = lab.vms["beta"], os.path.join(lab.folder, "beta-cookies.txt")

    def ask(path, **form):
        """(status, page) of a request from outside the guest."""
        fields = [word for name, value in form.items() for word in ("--data-urlencode", f"{name}={value}")]
        said = run_program(*inside(beta.machine.namespace, *CURL, "--cookie", jar, "--cookie-jar", jar, *fields, f"http://localhost:{PORT}{path}"), timeout=130).stdout
        page, _, status = said.rpartition("\n")
        return status, page

    screen.press("n")
    code = re.search(r"web page is (\S{5}-\S{5}),", shows(r"web page is \S{5}-\S{5},"))[1]
    # The card may get its address after the others.
    probe.until(lambda: probe.root("beta", "cat /run/wow/near"), lambda said: "10.0.2." in said, "address", "the fence does not know the second card's network")
    must(ask("/")[0] == "200", "no page")
    said = ask("/login", code=code)
    must(said[0] == "303", f"the code {code} is not taken: {said}")
    page = probe.until(lambda: ask("/")[1], lambda said: "waits for jobs" in said, "pool", "the page does not say that it waits for jobs")
    key = re.search('name="key" value="([0-9a-f]+)"', page)[1]
    said = ask("/pause", how="now", key=key, **{"for": "8h"})
    must(said[0] == "303", f"it is not paused: {said}")
    must("by the web page" in probe.root("beta", "wow status"), "it does not say so")
    shows("Paused: jobs stand still")
    said = ask("/resume", key=key)
    must(said[0] == "303", f"it is not resumed: {said}")
    shows("waits for jobs")
