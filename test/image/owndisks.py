"""A home on a disk of its own: which disk is taken, what is another's stays as it is, and a machine whose system's disk is swapped keeps its home. The
initrd's own scripts on its own kernel, with many disks of which each case sees some; test_homes.py has more cases, without a kernel."""

import re
import subprocess
import tarfile

import grown
import homes
import initrds
import volumes
from checks import check, expect, long_check, machine_check, run
from machine import AHCI, AT_ONCE, KEPT_BY_HOST, Machine
from places import HOME_AT, IMAGE, OUT, WORK

MIB = volumes.MIB
SIZE = volumes.SIZE
"""Bytes of a disk that may become a home, here."""
SMALL = 64 * MIB
LEAST = 512
"""MiB of memory that a machine must do with."""
DHCP = b"\x63\x82\x53\x63"
"""What begins its options (RFC 2131)."""
LATER, EARLIER = "20260301000000", "20250301000000"
"""When a home was used, as debugfs takes it."""
CASE = """\
(
    smallest=262144
    devices=/run/case-{name}
    mkdir "$devices"
    for disk in {disks}; do ln -s "/sys/block/$disk" "$devices/$disk"; done
    await_disks() {{ :; }}
    stop() {{ tell "verdict {name} stopped $*"; exit 1; }}
    say() {{ case $* in *take=*) tell "{name}: $*" ;; esac; }}
    open_home "$mode"
    link=/run/systemd/system/multi-user.target.wants/wow-grow.service
    grows=
    if [ -L $link ]; then grows=" and grows"; rm $link; fi
    umount /run/layers/home
    tell "verdict {name} $home$grows"
)
"""


def disk(name, maker=None, size=SIZE):
    """A raw disk."""
    path = WORK / f"own-{name}.disk"
    with open(path, "wb") as file:
        file.truncate(size)
    if maker:
        maker(path)
    return path


def home(path, used=LATER):
    """A home with a file in it, used at a time."""
    volumes.ext4(path, "WOWHOME", SIZE // 4096 - 16)
    run("debugfs", "-w", "-R", f"set_super_value mtime {used}", path)


def smaller(path):
    """A home whose disk lost its end."""
    home(path)
    with open(path, "r+b") as file:
        file.truncate(SIZE - 20 * MIB)


def larger(path):
    """A home whose disk was made larger."""
    home(path)
    with open(path, "r+b") as file:
        file.truncate(SIZE + 100 * MIB)


def cleared(path):
    """Somebody's file system whose first MiB was zeroed."""
    volumes.ext4(path, "photos")
    volumes.put(path, 0, bytes(MIB))


MAKERS = {
    "blank": None, "blank2": None, "luks": volumes.luks, "photos": lambda path: volumes.ext4(path, "photos"),
    "parted": lambda path: volumes.table(path, "gpt"), "cleared": cleared,
    "cut": lambda path: volumes.put(path, SIZE - 4096, volumes.MARK), "home": home, "old": lambda path: home(path, EARLIER), "shut": home,
    "smaller": smaller, "larger": larger}
CASES = {
    "foreign": (("luks", "photos", "parted", "small"), None, ("there is no disk for the home", "LUKS", "an ext4 file system", "has partitions",
                                                             "(64 MiB) is too small", "Nothing was changed")),
    "cut": (("cut", "blank"), "cut", ()),
    "fresh": (("luks", "cleared", "blank", "small", "photos"), "blank", ()),
    "used": (("home", "blank2"), "home", ()),
    "two-homes": (("home", "old"), "home", ("take=", "of several homes the one that was used last", "the system is /dev/vda3")),
    "shut": (("shut",), None, ("the home's disk is read-only", "Nothing was changed")),
    "smaller": (("smaller",), None, ("the home's disk was made smaller", "make it 192 MiB again")),
    "larger": (("larger",), "larger and grows", ())}
"""Disks of a case; the one that is taken, or None where the boot stops; words that the console says."""


def in_home(path, name):
    """A file of a home. Debugfs greets on its error output."""
    return subprocess.run(["debugfs", "-R", f"cat {name}", path], check=True, capture_output=True, text=True).stdout


def system(name):
    """The OVA's own disk of the system, which has no partition for a home; the others stand beside it."""
    place = WORK / f"{name}-ova"
    place.mkdir()
    with tarfile.open(OUT / "wow.ova") as ova:
        ova.extractall(place, [member for member in ova if member.name.endswith(".vmdk")])
    return place / "wow.vmdk"


def boot(name, cases, made, image=None):
    """Boots once with all disks, and opens a home in each case in turn; {case: (the disk that was taken or None, what was said)}."""
    names = {one: f"vd{chr(ord('b') + number)}" for number, one in enumerate(made)}
    options = ["-device", "virtio-blk-pci,drive=system"]
    for number, (one, path) in enumerate(made.items()):
        mode = "on" if one == "shut" else "off"
        options += ["-blockdev", f"driver=file,node-name=f{number},filename={path},discard=unmap,read-only={mode},{KEPT_BY_HOST}", "-device", f"virtio-blk-pci,drive=f{number}"]
    script = "".join(CASE.format(name=case, disks="vda " + " ".join(names[one] for one in disks)) for case, (disks, *_) in cases.items())
    kernel = initrds.Kernel(name).start(homes.OPEN, script, *options, system=image or OUT / "wow.qcow2")
    verdicts = dict(verdict.split(" ", 1) for verdict in kernel.verdicts())
    expect(list(verdicts) == list(cases), f"it spoke of {verdicts}")
    devices = {f"/dev/{device}": one for one, device in names.items()}
    taken = {case: None if said.startswith("stopped") else re.sub(r"/dev/vd[a-z]\b", lambda found: devices.get(found[0], found[0]), said) for case, said in verdicts.items()}
    lines = {case: "\n".join(line for line in kernel.said().splitlines() if f"{case}: " in line or f"verdict {case} " in line) for case in cases}
    return {case: (taken[case], lines[case]) for case in cases}


def expect_cases(found, cases):
    for case, (_, wanted, words) in cases.items():
        taken, said = found[case]
        expect(taken == wanted, f"{case}: it took {taken} for {wanted}: {said}")
        for word in words:
            expect(word in said, f"{case}: it does not say {word}: {said}")
        expect(words or "take=" not in said, f"{case}: {said}")


@machine_check
def a_home_of_its_own_is_made_on_the_one_blank_disk_and_no_other_disk_is_touched():
    made = {one: disk(one, maker) for one, maker in MAKERS.items()}
    made["small"] = disk("small", size=SMALL)
    stay = [one for one in made if one not in ("blank", "cut", "home", "larger")]
    before = {one: homes.digest(made[one]) for one in stay}
    expect_cases(boot("own", CASES, made, image=system("own")), CASES)
    for one in stay:
        expect(homes.digest(made[one]) == before[one], f"{one} was changed")
    for one in ("blank", "cut"):
        homes.expect_a_new_home(made[one], one)
    for one in ("home", "larger"):
        expect(in_home(made[one], "kept") == volumes.KEPT, f"{one} lost a file")


@long_check
def beside_a_partition_the_home_that_was_used_comes_first_and_what_is_taken_is_told():
    cases = {"used": (("home",), "home", ()),
             "blank": (("blank",), "/dev/vda4", ("the partition beside the system; /dev/vdc could have had a home, too", "take=/dev/vda4")),
             "both": (("home",), "/dev/vda4", ("of several homes the one that was used last; /dev/vdb left as it is",))}
    made = {"home": disk("swapped", home), "blank": disk("beside")}
    found = boot("beside", cases, made)
    expect_cases(found, cases)
    expect(homes.digest(made["blank"]) == homes.digest(disk("zeros")), "the blank disk was written to")


def opened(name, image, *options):
    """Opens the home as a start does, and says which one and what is in the file `kept`."""
    script = 'open_home "$mode"\ntell "verdict $system $home $(cat /run/layers/home/kept /run/layers/home/state/machine-id 2>/dev/null)"\numount /run/layers/home\n'
    return initrds.Kernel(name).start(homes.OPEN, script, *options, system=image).verdicts()


@long_check
def a_machine_of_the_earlier_layout_keeps_its_home_with_a_fresh_system_in_both_ways():
    former = grown.disk("former", grown.today, mib=grown.START + volumes.SIZE // MIB + 1)
    # Its disk beside that of a fresh system; the system is that of the first one.
    said = opened("former-beside", system("former"), "-device", "virtio-blk-pci,drive=system", "-drive", f"if=none,id=former,file={former},format=raw,snapshot=on",
                  "-device", "virtio-blk-pci,drive=former")
    expect(said == [f"/dev/vda3 /dev/vdb4 {volumes.KEPT.strip()}"], f"it took {said}")
    # A fresh system on its disk.
    was, made = WORK / "former.qcow2", WORK / "former-new.qcow2"
    run("qemu-img", "convert", "-f", "raw", "-O", "qcow2", former, was)
    run(IMAGE / "replace-base", was, OUT / "wow.qcow2", "-o", made)
    said = opened("former-replaced", made, "-device", "virtio-blk-pci,drive=system")
    expect(said == [f"/dev/vda3 /dev/vda4 {volumes.KEPT.strip()}"], f"it took {said}")
    raw = WORK / "former-new.disk"
    run("qemu-img", "convert", "-O", "raw", made, raw)
    expect(grown.partition(raw) == {"start": HOME_AT // 512, "size": volumes.SIZE // 512}, f"home is at {grown.partition(raw)}")
    expect("No errors detected" in run("sfdisk", "--verify", raw), run("sfdisk", "--verify", raw))


@machine_check
def the_ova_boots_from_its_own_disks_by_its_own_card_and_a_fresh_system_in_the_place_of_its_keeps_the_home():
    vmdk = system("booted")
    machine = Machine("ova", vmdk, AHCI, form="vmdk")
    run("qemu-img", "create", "-q", "-f", "qcow2", "-F", "vmdk", "-b", vmdk.with_name("wowhome.vmdk"), WORK / "ova-home.qcow2")
    drives = [f"if=ide,file={WORK / 'ova-home.qcow2'},format=qcow2,{AT_ONCE}", f"if=ide,file={vmdk.with_name('wowcfg.vmdk')},format=vmdk,snapshot=on"]
    wire = WORK / "ova.pcap"
    # The card of the descriptor, too; and half of its memory, as a small computer lends it.
    said = machine.run_selftest("-m", LEAST, *[word for drive in drives for word in ("-drive", drive)], "-netdev", "user,id=net", "-device", "vmxnet3,netdev=net",
                                "-object", f"filter-dump,id=wire,netdev=net,file={wire}")
    expect(DHCP in wire.read_bytes(), "nothing was asked of DHCP by its own card")
    # Names of SATA's disks may differ from start to start; a partition's has a number.
    expect(re.search(r"make=/dev/sd[a-z]\b", said), "no home was made on the disk of its own")
    raw = WORK / "ova-home.disk"
    run("qemu-img", "convert", "-O", "raw", WORK / "ova-home.qcow2", raw)
    run("e2fsck", "-p", raw)
    identity = in_home(raw, "/state/machine-id").strip()
    expect(re.fullmatch("[0-9a-f]{32}", identity), f"machine-id: {identity}")
    # A fresh image of the other form, which has a blank partition for a home: the home's own disk is taken.
    said = opened("ova-swapped", OUT / "wow.qcow2", "-device", "ide-hd,drive=system", "-drive", f"if=none,id=home,file={raw},format=raw", "-device", "ide-hd,drive=home,bus=ide.1")
    expect(len(said) == 1 and re.fullmatch(f"/dev/sd[ab]3 /dev/sd[ab] {identity}", said[0]), f"it took {said}")


@check
def the_ova_s_home_takes_next_to_nothing_of_it():
    size = system("size").with_name("wowhome.vmdk").stat().st_size
    expect(size < 100_000, f"wowhome.vmdk has {size} bytes")
