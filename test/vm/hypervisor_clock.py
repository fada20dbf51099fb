"""The hypervisor's clock of beta changes by what no sleep makes, and beta begins with one that shows a local time: beta's own clock is right, or follows, and
the pool keeps beta and its jobs."""

import datetime
import time

import killed
import probe
import steal
import wrong_clock
from tally import must

NAME = "beta"
AHEAD = 40 * 60
"""Seconds: no zone, less than the lease of a job, more than the life of what the manager knows of a machine."""
FOLLOWED = 60
"""Seconds within which the clock follows, or the manager hears of a machine again."""
ZONE = 3
"""Hours."""

# What a hypervisor does whose host's clock is set: QEMU keeps what a guest writes here as a difference to its host's.
MOVE = """python3 - <<'END'
import datetime, fcntl, struct, time
now = datetime.datetime.fromtimestamp(time.time() + %d, datetime.timezone.utc)
with open("/dev/rtc0", "wb", 0) as clock:
    fcntl.ioctl(clock, 0x4024700a, struct.pack("9i", now.second, now.minute, now.hour, now.day, now.month - 1, now.year - 1900, 0, 0, 0))
END"""


def run(tally, lab):
    """beta is in the pool."""
    alice = lab.login("alpha", "alice")
    with tally.case(f"the hypervisor's clock goes {AHEAD // 60} minutes ahead while a job runs: the machine's follows, and the job goes on"):
        alice.run(killed.SLEEPER)
        probe.until(lambda: alice.run("cat sleeper.log").stdout, lambda log: "\n001 " in log, "pool", "the job does not start")
        probe.root(NAME, MOVE % AHEAD)
        wrong_clock.shows(NAME, AHEAD, FOLLOWED)
        log = probe.until(lambda: alice.run("cat sleeper.log").stdout, lambda log: "\n005 " in log, "pool", "the job does not end")
        must(log.count("\n001 ") == 1 and "\n004 " not in log, f"the job was started anew:\n{log}")
    with tally.case("it goes back: the manager hears of the machine within a minute, not when the clock is where it was, and a new job runs there"):
        probe.root(NAME, MOVE % -AHEAD)
        wrong_clock.shows(NAME, 0, FOLLOWED)
        back, limit = time.time(), steal.now() + FOLLOWED
        while (heard := heard_of(lab)) <= back:
            must(steal.now() < limit, f"{time.time() - heard:.0f} s ago the manager heard of {NAME} the last time")
            time.sleep(1)
        alice.run(killed.SLEEPER)
        probe.until(lambda: alice.run("cat sleeper.log").stdout, lambda log: "\n005 " in log, "pool", "the new job does not end")


def local(tally, lab, ahead):
    """beta begins with a clock that shows the time of a zone. Behind UTC a signature proves it; ahead of UTC it takes three others."""
    vm, hours = lab.vms[NAME], ZONE if ahead else -ZONE
    where = "ahead of" if ahead else "behind"
    with tally.case(f"a machine whose hypervisor's clock shows a local time, {ZONE} hours {where} UTC, has the right time and is in the pool"):
        vm.pull_plug()
        shown = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)
        vm.power_on("-rtc", f"base={shown:%Y-%m-%dT%H:%M:%S}")
        probe.until(lambda: (lab.look(), [step.name for step in vm.console.steps])[1], lambda names: "ready" in names, "ready", f"{NAME} does not get ready")
        wrong_clock.right(NAME)
        clock = probe.status(NAME)["clock"]
        must((clock["follows"], clock["zone_min"]) == ("hypervisor", -hours * 60), f"{clock}")
        must(clock["voices"] >= 3 or not ahead, f"{clock}")
        must("local time" in probe.root(NAME, "wow doctor | grep -i clock || true"), "wow doctor does not say so")
        back, limit = time.time(), steal.now() + FOLLOWED
        while heard_of(lab) <= back:
            must(steal.now() < limit, f"the manager does not hear of {NAME}")
            time.sleep(1)


def heard_of(lab):
    """When the manager's collector heard of beta's machine ad, by its clock, which is ours; 0 if it lists none."""
    said = lab.login("alpha", "alice").run(f"condor_status -constraint 'regexp(\"^{NAME}\", Machine)' -af LastHeardFrom", check=False).stdout
    return max((int(word) for word in said.split() if word.isdigit()), default=0)
