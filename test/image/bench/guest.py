"""Inside one guest, on the image's own kernel: programs on its home and on a plain ext4 beside it; a job that computes on the stack of layers and on a
plain ext4 with the same files. Time is the guest's own, by counted instructions. All that is read was read before, and no write waits for a disk."""

import pathlib
import shutil
import subprocess

from checks import expect, run
from clock import COUNTED
from initrds import Kernel
from places import OUT, PARTS, WORK

HERE = pathlib.Path(__file__).resolve().parent
SIZE = "3G"
JOB = "total = 0\nfor n in range(2000000):\n    total = (total * 31 + n) % 1000003\nprint(total)\n"
MOVING = "mount --move /run /root/run\n"
"""The line of init before which all is stacked and home is bound."""
TOOLS = "/mnt/opt/bench"
POSTMARK = "set location PLACE\nset number 500\nset transactions 4000\nset size 500 9000\nset seed 7\nrun\nquit\n"
FIO = "--name=one --disk_util=0 --filename=PLACE/file --size=48m --io_size=192m --rw=randrw --bs=4k --ioengine=psync --invalidate=0 --randseed=7 --fallocate=none --minimal"
"""Without disk_util: for that fio looks through /sys/block for the file's disk before it begins, which takes longer for a partition than for a disk."""
DBENCH = f"-c {TOOLS}/share/client.txt -D PLACE -t 8 2"
TOLD = f"""\
mount -t proc proc /root/proc
mount -t sysfs sys /root/sys
mount -t devtmpfs dev /root/dev
mount -t tmpfs tmp /root/tmp
mount -t ext4 /dev/vdb /root/mnt || tell "verdict the plain disk does not mount"
for path in /root/mnt/proc /root/mnt/dev; do mkdir -p "$path"; done
mount -t proc proc /root/mnt/proc
mount -t devtmpfs dev /root/mnt/dev
tool() {{
    program=$1
    shift
    chroot /root {TOOLS}/lib/ld-linux-x86-64.so.2 --library-path {TOOLS}/lib:{TOOLS}/lib/ceph "{TOOLS}/bin/$program" "$@"
}}
mail() {{ sed "s,PLACE,$1," /root/mnt/opt/bench/mail > /root/tmp/mail; tool postmark /tmp/mail; }}
took() {{ # took NAME PLACE COMMAND...: the hundredths of a second that it takes
    name="$1 $2"
    shift 2
    sync
    hundredths
    began=$now
    "$@" > /run/said 2>&1 || tell "verdict $name failed: $(tr '\\n' ' ' < /run/said | cut -c 1-300)"
    hundredths
    tell "verdict $name $((now - began))"
}}
"""
"""Mounts, and how a test's script runs a tool, PostMark in a place, and tells how long something takes."""
SCRIPT = TOLD + f"""\
files() {{ tool fio $(echo "{FIO}" | sed "s,PLACE,$1,"); }}
clients() {{
    # What it says of itself: it works for a time, not for so much.
    tool dbench $(echo "{DBENCH}" | sed "s,PLACE,$1,") > /run/said 2>&1 || tell "verdict dbench $2 failed: $(tr '\\n' ' ' < /run/said | cut -c 1-300)"
    tell "verdict dbench $2 $(sed -n 's/^Throughput \\([0-9.]*\\).*/\\1/p' /run/said)"
}}
mkdir -p /root/home/bench /root/mnt/bench
round=0
while [ "$round" -le ROUNDS ]; do
    # The first round warms.
    for place in home plain; do
        case $place in home) path=/home/bench root=/root ;; plain) path=/mnt/bench root=/root/mnt ;; esac
        took postmark $place mail $path
        took fio $place files $path
        clients $path $place
        took job $place chroot $root /usr/bin/python3 -c 'JOB'
    done
    round=$((round + 1))
done
"""


def plain(more=lambda tree: None):
    """A disk with the base's files as a plain Debian has them, what more puts there, and the tools."""
    raw, tree = WORK / "plain.raw", WORK / "plain"
    tools = subprocess.run([HERE / "tools"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    run("unsquashfs", "-q", "-n", "-d", tree, PARTS / "layers/base.squashfs")
    more(tree)
    shutil.copytree(tools, tree / "opt/bench")
    (tree / "opt/bench/mail").write_text(POSTMARK)
    run("truncate", "-s", SIZE, raw)
    run("mke2fs", "-q", "-F", "-t", "ext4", "-d", tree, raw)
    shutil.rmtree(tree)
    return raw


def rounds_of(script, disk, system=OUT / "wow.qcow2"):
    """{job: {place: numbers}} of a guest of a system's disk beside a plain one, which says a line `JOB PLACE NUMBER` each; without the first of each."""
    kernel = Kernel("bench-guest").start(MOVING, script, "-device", "virtio-blk-pci,drive=system", "-drive", f"if=none,id=plain,file={disk},format=raw,snapshot=on",
                                         "-device", "virtio-blk-pci,drive=plain", system=system, executes=COUNTED)
    found = {}
    for line in kernel.verdicts(7200):
        words = line.split()
        expect(len(words) == 3 and words[2].replace(".", "").isdigit(), f"it says {line}")
        found.setdefault(words[0], {}).setdefault(words[1], []).append(float(words[2]))
    # The first ones only warm.
    return {job: {place: numbers[1:] for place, numbers in places.items()} for job, places in found.items()}


def work(asked):
    """Hundredths of a second, and dbench's MB/s."""
    return rounds_of(SCRIPT.replace("ROUNDS", str(asked.rounds)).replace("JOB", JOB), plain())
