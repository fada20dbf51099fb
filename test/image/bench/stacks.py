"""What a stack of three modules costs a machine: from power-on to the login beside the same machine without them, the initrd with as many layers as there may
be, and reads of a module's files beside the same files on a plain ext4 in the same guest. The modules are the course's, of Debian's packages."""

import contextlib
import re

import booting
import choices
import guest
from clock import COUNTED
from checks import expect, run
from desktops import MODULES
from initrds import Kernel
from places import HOME_AT, IMAGE, OUT, PARTS, ROOT, WORK

FIRST = "load stack\n"
"""The line of init before which nothing of the disk is looked at."""
MOST = 12
LOOKS = (ROOT / "appliance/initrd/init").read_text().partition(FIRST)[2].partition(choices.MODULES)[0]
LAYERS = f"""\
hundredths
began=$now
{FIRST}{LOOKS}
while read -r kind name rest; do
    case $kind in
        module) for each in $(busybox seq {MOST - 2}); do echo "module $name-$each $rest"; done ;;
        *) echo "$kind $name $rest" ;;
    esac
done < /run/layers/sys/stacks/A.conf > /run/many
mount --bind /run/many /run/layers/sys/stacks/A.conf
{choices.MODULES}{choices.OVERLAY}
hundredths
tell "verdict $(grep -c " squashfs " /proc/mounts) $((now - began))"
"""
WORDS = re.search(r" (lsm=\S+ cryptomgr\.notests=1) ", (IMAGE / "boot/grub.cfg").read_text())[1]
"""Of the kernel command line that the image has, what costs time: without these words the kernel tests its ciphers while the initrd works."""
TREE = "usr/lib/R"
"""Many files of a module; what a program of it reads when it starts."""
FILE = "usr/lib/R/lib/libR.so"
MAILS = "var/spool/bench"
"""Where PostMark works: on the layers, whose writable one is in memory."""
FIO = f"--name=one --disk_util=0 --filename=PLACE/{FILE} --readonly --io_size=192m --rw=randread --bs=4k --ioengine=psync --invalidate=0 --randseed=7 --minimal"
READS = """\
read_tree() {
    # Once takes a tenth of a second, and time is counted in hundredths.
    for each in 1 2 3 4 5 6 7 8 9 10; do find "$1" -type f -exec cat {} + > /dev/null; done
}
read_file() { tool fio $(echo "FIO" | sed "s,PLACE,$1,"); }
round=0
while [ "$round" -le ROUNDS ]; do
    # The first round warms.
    for place in layers plain; do
        case $place in layers) path= ;; plain) path=/mnt ;; esac
        took tree $place read_tree "/root$path/TREE"
        took fio $place read_file "$path"
        mkdir -p "/root$path/MAILS"
        took postmark $place mail "$path/MAILS"
    done
    round=$((round + 1))
done
"""


@contextlib.contextmanager
def home_of(disk):
    """Home's folder in a raw disk."""
    place = disk.with_suffix(".home")
    place.mkdir()
    run("mount", "-t", "ext4", "-o", f"loop,offset={HOME_AT}", disk, place)
    try:
        yield place
    finally:
        run("umount", place)
        place.rmdir()


def modules():
    """The stack's folder and its lines."""
    folder = WORK / "bench-stack"
    run(IMAGE / "stack", "-o", folder, "--parts", PARTS, *(ROOT / "modules" / name for name in MODULES))
    return folder, [line.split() for line in (folder / "stack").read_text().splitlines() if line.startswith(("module ", "glue "))]


def disks(folder, rows):
    """{with or without: a raw disk}: machines that were used, and have settled with that stack, or have none."""
    booting.used("stacked", OUT / "wow.qcow2")
    found = {}
    for name in ("without", "with"):
        found[name] = WORK / f"stacked-{name}.raw"
        run("qemu-img", "convert", "-O", "raw", WORK / "stacked.qcow2", found[name])
    own = [line for line in (PARTS / "A.conf").read_text().splitlines() if line.startswith(("base ", "node "))]
    lines = ["# stack 1", *own, *(f"{kind} {name} {digest} {size} {digest}" for kind, name, size, digest in rows)]
    with home_of(found["with"]) as home:
        for place in ("stacks", "layers"):
            (home / place).mkdir(exist_ok=True)
        for stack in ("next", "good"):
            (home / "stacks" / stack).write_text("\n".join(lines) + "\n")
        for *_, digest in rows:
            run("cp", folder / digest, home / "layers")
    return found


def logins(found, rounds):
    """{processors: {with or without: seconds}}."""
    seconds = {str(processors): {name: [] for name in found} for processors in booting.PROCESSORS}
    for number in range(rounds):
        for processors in booting.PROCESSORS:
            for name, disk in found.items():
                machine = booting.Timed(name)
                took = machine.login(f"stack-{name}-{processors}-{number}", processors, [f"if=virtio,file={disk},format=raw,snapshot=on", booting.config()])
                taken = "take=good" in machine.said() or "take=next" in machine.said()
                expect(taken == (name == "with"), f"the stack's modules are {'' if taken else 'not '}there:\n{machine.last()}")
                seconds[str(processors)][name].append(took)
    return seconds


def initrd(disk):
    """Hundredths of a second from the first look at a machine's disk to all layers over each other, {with or without its configuration disk: so many}. Without, it
    looks at whatever else the machine has, which is a CD drive."""
    found = {}
    for name, options in (("with", ("-drive", booting.config())), ("without", ())):
        said = Kernel(f"bench-layers-{name}").start(FIRST, LAYERS, "-device", "virtio-blk-pci,drive=system", *options, system=disk, executes=COUNTED,
                                                    words=WORDS).verdicts()
        expect(len(said) == 1 and said[0].split()[0] == str(MOST), f"the initrd said {said}")
        found[name] = int(said[0].split()[1])
    return found


def reads(disk, rows, folder, rounds):
    """{tree, fio or postmark: {layers or plain: hundredths of a second}}."""
    layer = next(folder / digest for _, name, _, digest in rows if name == "exercises")
    plain = guest.plain(lambda tree: run("unsquashfs", "-q", "-n", "-f", "-d", tree, layer))
    script = guest.TOLD + READS.replace("FIO", FIO).replace("TREE", TREE).replace("MAILS", MAILS).replace("ROUNDS", str(rounds))
    return guest.rounds_of(script, plain, disk)


def stack(asked):
    """All of it. The initrd needs one round: what is counted is always the same."""
    folder, rows = modules()
    found = disks(folder, rows)
    return {"login": logins(found, asked.rounds), "initrd": initrd(found["without"]), "reads": reads(found["with"], rows, folder, asked.rounds)}
