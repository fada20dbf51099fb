"""An administrator publishes modules to the running pool: machines fetch them by themselves, and have them with their next start."""

import os
import pathlib
import subprocess

import probe
from login import ADMIN
from shell import run as run_program
from tally import must

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPE = "[module]\nname = waves\nversion = 1.0\ndescription = How high the waves are\nlicence = MIT\n"
ASKS = """
rm -f waves.* && cat > waves.sub <<'END'
executable = /bin/cat
arguments = /usr/share/waves/height
output = waves.out
log = waves.log
should_transfer_files = yes
transfer_executable = false
requirements = stringListMember("waves", WowModules)
queue
END
condor_submit -terse waves.sub
"""
"""A job for machines that have the module."""


def stack(folder):
    """The stack folder of a module that is made here, and of the one that is in the image."""
    recipe = pathlib.Path(folder, "waves")
    (recipe / "root/usr/share/waves").mkdir(parents=True, exist_ok=True)
    (recipe / "root/usr/share/waves/height").write_text("7 m\n", encoding="ascii")
    (recipe / "module.ini").write_text(RECIPE, encoding="ascii")
    run_program(ROOT / "appliance/image/stack", "-o", os.path.join(folder, "stack"), recipe, ROOT / "modules/tutorial", timeout=300)


def copy(login, folder):
    """What `scp -r` of the folder does."""
    packed = subprocess.Popen(["tar", "--create", "--directory", folder, "stack"], stdout=subprocess.PIPE)
    subprocess.run(login.command("tar", "--extract"), stdin=packed.stdout, check=True, timeout=120)
    must(packed.wait() == 0, "the folder cannot be read")


def run(tally, lab):
    """Of alpha and beta one is started anew later, and has them then."""
    alice, carol = lab.login("alpha", "alice"), lab.login("manager", ADMIN)
    with tally.case("an administrator publishes two modules to the running pool: machines fetch them, and say that they come with the next start"):
        refused = carol.run("wow-ca publish none-of-mine", check=False)
        must(refused.returncode == 2 and "none-of-mine" in refused.stderr, f"{refused.stdout}{refused.stderr}")
        stack(lab.folder)
        copy(carol, lab.folder)
        # They would start anew within hours, at a moment that suits no other case.
        for name in ("alpha", "beta"):
            probe.root(name, "wow computer set restart no")
        lab.say(carol.run("wow-ca publish stack", timeout=300).stdout.strip())
        for name in ("alpha", "beta"):
            probe.until(lambda name=name: probe.root(name, "wow status"), lambda said: "with the next start: waves, tutorial" in said, "pool",
                        f"{name} does not have them")
            probe.until(lambda name=name: probe.root(name, "wow status"), lambda said: "by itself: its owner chose so" in said, "command", f"{name} does not say so")
        must("waves" in carol.run("wow-ca stack").stdout, "wow-ca stack does not name it")
        must(probe.root("beta", "stat -c '%U %a' /run/layers/home/layers").strip() == "root 700", "anybody may read or write the layers")
    with tally.case("a job for machines with the module waits, and `wow why` says for what"):
        number = alice.run(ASKS).stdout.split(".")[0]
        probe.until(lambda: alice.run(f"wow why {number}", check=False).stdout, lambda said: "WowModules" in said, "pool", "it is not said")


def taken(tally, lab):
    """beta was switched off and on."""
    alice, carol = lab.login("alpha", "alice"), lab.login("manager", ADMIN)
    with tally.case("beta, started anew, has the modules, found them good, and alice's job for machines with one of them ran there"):
        must(probe.root("beta", "cat /usr/share/waves/height") == "7 m", "the module's file is another")
        said = probe.until(lambda: probe.root("beta", "wow status"), lambda said: "waves, tutorial, by the pool's stack" in said, "command", "wow status does not say so")
        must("with the next start" not in said, said)
        probe.until(lambda: probe.root("beta", "cat /run/layers/home/stacks/good"), lambda listed: "module waves" in listed, "ready", "it is not found good")
        probe.until(lambda: alice.run("cat waves.log").stdout, lambda log: "\n005 " in log, "pool", "the job does not end")
        must(alice.run("cat waves.out").stdout == "7 m\n", "its output is another")
    with tally.case("published once more with a deadline, alpha starts anew by itself and has them; beta, which has them, does not, nor does the manager"):
        probe.root("alpha", "wow computer set restart yes")
        alone = [boot(name) for name in ("beta", "manager")]
        count = starts(lab, "alpha")
        lab.say(carol.run("wow-ca publish stack --restart-by now", timeout=300).stdout.strip())
        must("jobs keep a machine from" in carol.run("wow-ca stack").stdout, "wow-ca stack does not show the deadline")
        back(lab, "alpha", count)
        must(probe.root("alpha", "cat /usr/share/waves/height") == "7 m", "the module's file is another")
        probe.until(lambda: probe.root("manager", "wow status"), lambda said: "a manager waits for its administrator" in said, "command", "the manager does not say so")
        must([boot(name) for name in ("beta", "manager")] == alone, "beta or the manager started anew")
        probe.root("alpha", "wow computer set restart no")
    with tally.case("taken back, they go with the next start, and beta says so"):
        carol.run("wow-ca publish --none")
        probe.until(lambda: probe.root("beta", "wow status"), lambda said: "with the next start those of the image" in said, "pool", "beta does not say so")


def boot(name):
    """Which start of a machine this is."""
    return probe.root(name, "cat /proc/sys/kernel/random/boot_id").strip()


def starts(lab, name, step="ready"):
    """How often it got so far since it was switched on."""
    lab.look()
    return sum(one.name == step for one in lab.vms[name].console.steps)


def back(lab, name, count):
    """Waits until a machine that got ready so often starts anew by itself and is back in the pool: five minutes after its last start, and two more."""
    begun = starts(lab, name, "ring")
    probe.until(lambda: (starts(lab, name, "ring"), starts(lab, name)), lambda now: now[0] > begun or now[1] > count, "pool", f"{name} does not start anew by itself")
    probe.until(lambda: starts(lab, name), lambda now: now > count, "ready", f"{name} does not get ready again")
    probe.until(lambda: probe.slots(lab), lambda found: name in found, "pool", f"{name}'s slot does not come back")
