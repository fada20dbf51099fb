"""An administrator publishes modules to the running pool, and then a newer system with them: machines fetch them by themselves, and have them with their next start."""

import hashlib
import os
import pathlib
import shutil
import subprocess

import probe
from login import ADMIN
from shell import run as run_program
from tally import must

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ROOT / "build/image"
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
OTHER, OTHER_SIZE = "arm64", 300_000
"""The architecture whose part the machines here are to pass over, and the bytes of its module."""
ENVIRONMENT = """
place=$(grep -lx PARTNAME=WOWESP /sys/class/block/*/uevent) && place=${place%/uevent} && mkdir -p /run/look
mount -t vfat -o ro,iocharset=ascii /dev/${place##*/} /run/look && head -c 200 /run/look/grub/grubenv; umount /run/look
"""
"""What GRUB knows."""


def other(folder):
    """The stack folder of another architecture, with a module of the same name; the module's digest. No machine of the lab is of that one."""
    place = pathlib.Path(folder, "other")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    module = os.urandom(OTHER_SIZE)
    digests = [hashlib.sha256(data).hexdigest() for data in (b"base", b"node", module)]
    (place / digests[2]).write_bytes(module)
    (place / "stack").write_text(f"wow-stack 1\narchitecture {OTHER}\nbase {digests[0]}\nnode {digests[1]}\nmodule waves {OTHER_SIZE} {digests[2]}\n", encoding="ascii")
    return digests[2]


def stack(folder):
    """The stack folder of a module that is made here, and of the one that is in the image, beside the part of another architecture; the digest of that one's module."""
    foreign = other(folder)
    recipe = pathlib.Path(folder, "waves")
    (recipe / "root/usr/share/waves").mkdir(parents=True, exist_ok=True)
    (recipe / "root/usr/share/waves/height").write_text("7 m\n", encoding="ascii")
    (recipe / "module.ini").write_text(RECIPE, encoding="ascii")
    make(folder, "--beside", os.path.join(folder, "other"))
    return foreign


def system(folder):
    """The stack folder of the same modules with another system: its node's layer has one file more, and its initrd other bytes."""
    parts, extra = pathlib.Path(folder, "parts"), pathlib.Path(folder, "extra")
    for place in (parts / "layers", extra):
        place.mkdir(parents=True, exist_ok=True)
    (extra / "newer").write_text("newer\n", encoding="ascii")
    for name in ("base", "base.json", "layers/base.squashfs"):
        (parts / name).unlink(missing_ok=True)
        (parts / name).symlink_to((PARTS / name).resolve())
    shutil.copyfile(PARTS / "layers/node.squashfs", parts / "layers/node.squashfs")
    run_program("mksquashfs", extra, parts / "layers/node.squashfs", "-no-progress", "-quiet", "-no-recovery", timeout=120)
    # Between two archives of an initrd may stand zeros, in front of a packed one a plain one.
    plain = subprocess.run(["cpio", "--create", "--format=newc", "--quiet"], input=b"newer\n", cwd=extra, stdout=subprocess.PIPE, check=True).stdout
    (parts / "initrd.img").write_bytes(plain + (PARTS / "initrd.img").read_bytes())
    make(folder, "--system", "--from", ROOT / "build/out/wow.qcow2", "--parts", parts)


def make(folder, *words):
    """What `wow image stack` does, with these words, for the module that is made here and for the image's."""
    run_program(ROOT / "appliance/image/stack", *words, "-o", os.path.join(folder, "stack"), os.path.join(folder, "waves"), ROOT / "modules/tutorial", timeout=300)


def copy(login, folder):
    """What `scp -r` of the folder does."""
    packed = subprocess.Popen(["tar", "--create", "--directory", folder, "stack"], stdout=subprocess.PIPE)
    subprocess.run(login.command("tar", "--extract"), stdin=packed.stdout, check=True, timeout=600)
    must(packed.wait() == 0, "the folder cannot be read")


def run(tally, lab):
    """Of alpha and beta one is started anew later, and has them then."""
    foreign = stack(lab.folder)
    publish(tally, lab)
    own_part(tally, lab, foreign)
    alice = lab.login("alpha", "alice")
    with tally.case("a job for machines with the module waits, and `wow why` says for what"):
        number = alice.run(ASKS).stdout.split(".")[0]
        probe.until(lambda: alice.run(f"wow why {number}", check=False).stdout, lambda said: "WowModules" in said, "pool", "it is not said")


def own_part(tally, lab, foreign):
    """foreign: the digest of the other architecture's module."""
    with tally.case("of a stack for two architectures the CA has both parts, and each machine takes and keeps its own alone"):
        shown = lab.login("manager", ADMIN).run("wow-ca stack").stdout
        must(OTHER in shown, shown)
        must(probe.root("manager", f"stat -c %s /var/lib/wow/ca/layers/{foreign}").strip() == str(OTHER_SIZE), "the CA has not the other part's module")
        for name in ("alpha", "beta"):
            had = probe.root(name, "ls /run/layers/home/layers; cat /run/layers/home/stacks/next")
            must(foreign not in had and "module waves" in had, f"{name} has of both parts: {had}")


def publish(tally, lab):
    """The modules alone."""
    carol = lab.login("manager", ADMIN)
    with tally.case("an administrator publishes two modules to the running pool: machines fetch them, and say that they come with the next start"):
        refused = carol.run("wow-ca publish none-of-mine", check=False)
        must(refused.returncode == 2 and "none-of-mine" in refused.stderr, f"{refused.stdout}{refused.stderr}")
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
    with tally.case("published with a newer system and a deadline: alpha starts anew with both by itself, and keeps them; beta's owner and the manager's wait"):
        probe.root("alpha", "wow computer set restart yes")
        alone = [boot(name) for name in ("beta", "manager")]
        count = starts(lab, "alpha")
        system(lab.folder)
        carol.run("rm -r stack")
        copy(carol, lab.folder)
        lab.say(carol.run("wow-ca publish stack --restart-by now", timeout=600).stdout.strip())
        shown = carol.run("wow-ca stack").stdout
        must("jobs keep a machine from" in shown and "with a system" in shown, f"wow-ca stack shows neither deadline nor system: {shown}")
        back(lab, "alpha", count)
        must(probe.root("alpha", "cat /usr/share/waves/height /newer") == "7 m\nnewer", "the module's file or the system is another")
        must(probe.root("alpha", "grep ^system= /run/layers/system") == "system=B", "it is the system of before")
        probe.until(lambda: probe.root("alpha", ENVIRONMENT), lambda said: "system=B\ntrial=\n" in said, "ready", "GRUB does not stay with it")
        probe.until(lambda: probe.root("beta", "wow status"), lambda said: "with the next start: another system, and waves, tutorial" in said, "pool", "beta does not say so")
        told = probe.root("beta", "journalctl -u wow-stack -o cat")
        must("bytes of a delta in the place of" in told, f"beta fetched the whole of the node's layer: {told}")
        probe.until(lambda: probe.root("manager", "wow status"), lambda said: "a manager waits for its administrator" in said, "command", "the manager does not say so")
        must([boot(name) for name in ("beta", "manager")] == alone, "beta or the manager started anew")
        must(probe.root("beta", "ls /run/layers/sys/stacks; ls /run/wow/system.armed").split() == ["A.conf", "B.conf", "/run/wow/system.armed"], "beta's GRUB does not try it")
        probe.root("alpha", "wow computer set restart no")
    with tally.case("taken back, they go with the next start, and beta says so"):
        carol.run("wow-ca publish --none")
        probe.until(lambda: probe.root("beta", "wow status"), lambda said: "with the next start those of the image" in said, "pool", "beta does not say so")
        probe.until(lambda: probe.root("beta", "ls /run/wow"), lambda said: "system.armed" not in said, "pool", "beta's GRUB tries it still")


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
