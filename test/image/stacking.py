"""A published stack of modules in home, on the image's own kernel: it is taken, left after three starts, left where it is no good; and its starts are counted though
power goes. test_stacks.py has more cases, without a kernel."""

import hashlib
import shutil

import configs
import initrds
from checks import expect, long_check, machine_check, run
from choices import MODULES, OVERLAY
from machine import AT_ONCE, UNTIL_HOME
from places import LAYERS, PARTS, WORK

AT = "/run/layers/home"
TUTORIAL = (PARTS / "layers/tutorial.squashfs").read_bytes()
DIGEST = hashlib.sha256(TUTORIAL).hexdigest()
OWN = "".join(line + "\n" for line in (PARTS / "A.conf").read_text().splitlines() if line.startswith(("base ", "node ")))
SCRIPT = f"""\
look() {{
    {MODULES}
    tell "verdict $1 $(grep -c " squashfs " /proc/mounts) $(tr '\\n' ' ' < /run/layers/stack)"
    [ "$1" != last ] || return
    for place in /run/layers/[1-9]*; do umount "$place"; busybox rmdir "$place"; done
    [ -z "$tree" ] || umount /run/layers/glue
    number=1 lower=0 stacks_tried= stack_left= published= list=$image_list
}}
publish() {{ {{ echo "# stack $1"; grep -e '^base ' -e '^node ' /run/layers/sys/stacks/A.conf; echo "module maths {DIGEST} {len(TUTORIAL)} {DIGEST}"; }} > {AT}/stacks/next; }}
mkdir -p {AT}/stacks {AT}/layers
look none
cp /run/layers/sys/layers/tutorial-* {AT}/layers/{DIGEST}
publish 11
look first
look second
look third
look left
publish 12
sed -i 's/^node .*/node node x 1 y/' {AT}/stacks/next
look other
publish 13
dd if=/dev/zero of={AT}/layers/{"0" * 64} bs=1048576 count=2
echo "module bad {"0" * 64} 2097152 {"0" * 64}" >> {AT}/stacks/next
look damaged
rm {AT}/layers/{"0" * 64}
look missing
publish 14
cp {AT}/stacks/next {AT}/stacks/good
look good
digest=$(sha256sum /glue | cut -d' ' -f1)
cp /glue {AT}/layers/$digest
echo "module waves {DIGEST} {len(TUTORIAL)} {DIGEST}" >> {AT}/stacks/next
echo "glue glue $digest $(stat -c %s /glue) $digest" >> {AT}/stacks/next
cp {AT}/stacks/next {AT}/stacks/good
echo modules=waves > {AT}/state/pool.lines
look last
{OVERLAY}
tell "verdict glue $(cat /root/opt/part) $(ls /root/opt) $(ls /root/usr/lib/wow/modules | tr '\\n' ' ')"
tell "verdict overlay $(grep -c "^wow /root overlay .*lowerdir=$lower," /proc/mounts) $(ls /root/usr/share/wow/tutorial/tutorial.sub) $(cat /sys/block/loop*/loop/backing_file | grep -c home/layers/{DIGEST})"
mount -o remount,ro {AT} && tell "verdict home is written out as at a shutdown, though a layer is in use"
"""
IMAGE = "source=image"
SAID = [f"none 3 {IMAGE}", "first 3 source=next number=11", "second 3 source=next number=11", "third 3 source=next number=11",
        f"left 3 {IMAGE} left=11 why=after 3 starts with it this machine was not back in its pool",
        f"other 3 {IMAGE} left=12 why=it was made over another base or node than this image has",
        f"damaged 3 {IMAGE} left=13 why=bad: the layer is damaged (not what stacks/next lists)", f"missing 3 {IMAGE} left=13 why=bad: the layer is missing",
        "good 3 source=next number=14", "last 5 source=next number=14", "glue the part of waves part glue tutorial", "overlay 1 /root/usr/share/wow/tutorial/tutorial.sub 1", "home is written out as at a shutdown, though a layer is in use"]


def glue():
    """A layer with a part for the module waves alone."""
    place = WORK / "stacking-glue"
    own = place / "usr/lib/wow/modules/glue"
    for folder in (place, own / "of/2"):
        (folder / "opt").mkdir(parents=True)
    (place / "opt/whole").write_text("the whole\n")
    (own / "of/2/opt/part").write_text("the part of waves\n")
    (own / "of/2/usr/lib/wow/modules/glue").mkdir(parents=True)
    (own / "choices").write_text("- maths\n2 waves\n")
    run(LAYERS / "squash", place, WORK / "stacking-glue.squashfs")
    return (WORK / "stacking-glue.squashfs").read_bytes()


@machine_check
def a_published_stack_is_taken_and_left_where_it_is_no_good():
    kernel = initrds.Kernel("stacking").start(MODULES, SCRIPT, *configs.ON_VIRTIO, files={"glue": glue()})
    # Twelve looks at the stack in one boot.
    said = kernel.verdicts(UNTIL_HOME * 3)
    expect(said == SAID, f"it said {said}")
    expect("To do: tell the pool's administrator" in kernel.said(), "people are told nothing")


@long_check
def starts_of_a_published_stack_are_counted_though_power_goes_in_each_of_them():
    disk, tree = WORK / "stacking-home.raw", WORK / "stacking-home"
    shutil.rmtree(tree, ignore_errors=True)
    for name in ("home", "state", "stacks", "layers"):
        (tree / name).mkdir(parents=True)
    (tree / "layers" / DIGEST).write_bytes(TUTORIAL)
    # So nobody waits for a disk with another one.
    (tree / "state/pool.conf").write_text("accepted before\n")
    (tree / "stacks/next").write_text(f"# stack 21\n{OWN}module maths {DIGEST} {len(TUTORIAL)} {DIGEST}\n")
    disk.unlink(missing_ok=True)
    run("mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-L", "WOWHOME", "-d", tree, disk, "1G")
    for count in range(4):
        kernel = initrds.Kernel("stacking-cut").start(
            MODULES, f"{MODULES}tell verdict $(cat /run/layers/stack)\nwhile :; do sleep 60; done\n", *configs.ON_VIRTIO,
            "-drive", f"if=none,id=home,file={disk},format=raw,{AT_ONCE}", "-device", "virtio-blk-pci,drive=home")
        try:
            # The moment at which the machine has its stack: the count is on the disk by then.
            kernel.wait_for("verdict source=", UNTIL_HOME * 2)
        finally:
            kernel.cut_power()
        expect(("source=next number=21" if count < 3 else "source=image left=21 why=after 3 starts") in kernel.said(), f"start {count + 1}: {kernel.last()}")
    disk.unlink()
