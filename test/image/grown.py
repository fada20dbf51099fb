"""Home follows its disk. The initrd's own scripts on its own kernel, with disks that were made larger, and every write that they are told: where
power fails between two, the disk still boots, home is whole, and the next boot ends what was begun."""

import json
import re
import subprocess

import homes
import volumes
import writelog
from checks import expect, long_check, machine_check, note, run
from places import IMAGE

MIB = volumes.MIB
START = 8
"""MiB; where home begins on these disks."""
LARGE = 1024
"""MiB; what they are made."""
HOME = {"start": START * 2048, "size": volumes.SIZE // 512}
BEHIND = f"start={START + volumes.SIZE // MIB}MiB, size=512KiB, name=MINE\n"
WHOLE = (LARGE - START - 1) * MIB // 4096
"""Blocks of the grown partition."""
RESERVED = 16
GROWN = f"{WHOLE} {WHOLE - RESERVED}"
"""What is said of the partition's and the file system's blocks."""
CONTINUED = 4
"""So many are booted again."""
UNIT = IMAGE / "root/usr/lib/systemd/system/wow-grow.service"
EACH = """\
for one in {disks}; do
    (
        places() {{ echo "/dev/${{one}}4"; }}
        await_disks() {{ :; }}
        stop() {{ tell "verdict $one stopped $*"; exit 1; }}
        open_home "$mode"
        link=/run/systemd/system/multi-user.target.wants/wow-grow.service
        if [ -L $link ]; then
            eval "$(sed -n 's/^Environment=//p' /run/systemd/system/wow-grow.service.d/home.conf)"
            mount --bind /run/layers/home /run/layers/0/mnt
            base_tool RESIZE > /dev/null 2>&1 || tell "verdict $one resize2fs failed"
            umount /run/layers/0/mnt
            rm $link
        fi
        umount /run/layers/home
        tell "verdict $one $(blocks "/dev/${{one}}4") $(reaches "/dev/${{one}}4" 1024)"
    )
done
"""
TIMED = """\
for one in {disks}; do
    (
        places() {{ echo "/dev/${{one}}4"; }}
        await_disks() {{ :; }}
        read -r began _ < /proc/uptime
        open_home "$mode"
        umount /run/layers/home
        read -r ended _ < /proc/uptime
        tell "verdict $one $(($(echo "$ended" | tr -d .) - $(echo "$began" | tr -d .)))"
    )
done
"""
STAYS = """\
for one in {disks}; do
    (
        stop() {{ tell "verdict $one stopped $*"; exit 1; }}
        say() {{ tell "verdict $one $*"; exit 1; }}
        [ -e "/dev/${{one}}4" ] || missing WOWHOME
        grow_partition "/dev/${{one}}4"
        tell "verdict $one nothing"
    )
done
"""
EACH = EACH.replace("RESIZE", re.search(r"^ExecStart=(.+)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE).group(1).replace("{", "{{").replace("}", "}}"))


def today(path):
    """A home as it is made today, which leaves its partition's end free."""
    volumes.ext4(path, "WOWHOME", volumes.SIZE // 4096 - RESERVED)


def cut(path):
    """A home whose making was cut."""
    volumes.put(path, volumes.MARK_AT, volumes.MARK)


def disk(name, maker, before="", behind="", mib=LARGE):
    """A disk laid out as the image's in small, with a home of `maker`, that was made `mib` MiB; before, behind: more partitions."""
    path = homes.made(name, maker)
    volume = path.rename(path.with_suffix(".home"))
    with open(path, "wb") as file:
        file.truncate(START * MIB + volumes.SIZE + MIB)
    table = (f"label: gpt\nfirst-lba: 34\n{before}start=1MiB, size=1MiB, name=WOWBOOT\nstart=2MiB, size=2MiB, name=WOWESP\nstart=4MiB, size=4MiB, name=WOWSYS\n"
             f"start={START}MiB, size={volumes.SIZE // MIB}MiB, name=WOWHOME\n{behind}")
    subprocess.run(["sfdisk", "--quiet", path], input=table, text=True, check=True, capture_output=True)
    run("dd", f"if={volume}", f"of={path}", "bs=1M", f"seek={START}", "conv=sparse,notrunc")
    volume.unlink()
    with open(path, "r+b") as file:
        file.truncate(mib * MIB)
    return path


def copied(path, name):
    """A copy of a disk."""
    copy = path.with_name(f"{name}.disk")
    run("cp", "--sparse=always", path, copy)
    return copy


def partition(path, number=4):
    """Start and size, in sectors, as the first table has them; the table must be whole."""
    done = subprocess.run(["sfdisk", "--json", path], capture_output=True, text=True, check=True)
    expect("primary GPT table is corrupt" not in done.stderr, f"{path.name}: {done.stderr}")
    entry = json.loads(done.stdout)["partitiontable"]["partitions"][number - 1]
    return {"start": entry["start"], "size": entry["size"]}


def expect_a_whole_home(path, kept=volumes.KEPT):
    """A home without a fault once its journal is replayed, with what was in it. It is looked at in a copy: e2fsck opens a file system at an offset
    in a file, but not again after the journal."""
    home = path.with_suffix(".checked")
    home.unlink(missing_ok=True)
    run("dd", f"if={path}", f"of={home}", "bs=1M", f"skip={START}", "conv=sparse")
    repaired = subprocess.run(["e2fsck", "-p", home], capture_output=True, text=True, check=False)
    expect(repaired.returncode < 4, f"{path.name}: {repaired.stdout}")
    run("e2fsck", "-fn", home)
    found = subprocess.run(["debugfs", "-R", "cat kept", home], capture_output=True, text=True, check=False).stdout
    expect(found == kept, f"{path.name} holds {found}")


def judged(path):
    """Whether the next boot finds the partition grown. Whatever it finds must be whole."""
    found = partition(path)
    expect(found in (HOME, {**HOME, "size": WHOLE * 8}), f"{path.name}: {found}")
    expect_a_whole_home(path)
    return found["size"] == WHOLE * 8


@long_check
def a_home_on_a_disk_that_was_made_larger_grows_to_its_end():
    disks = {"today": disk("today", today), "before": disk("before", volumes.old_home_with_a_file_like_the_mark),
             "blank": disk("new", lambda path: None), "cut": disk("unfinished", cut), "headless": disk("beheaded", volumes.beheaded_home),
             "used": disk("used", today)}
    # A home whose making was cut stood on that disk before.
    volumes.put(disks["used"], START * MIB + (WHOLE - 1) * 4096, volumes.MARK)
    for (name, path), verdict in zip(disks.items(), homes.open_all("growing", list(disks.values()), each=EACH)):
        expect(verdict == GROWN, f"{name}: {verdict}")
        expect(partition(path) == {**HOME, "size": WHOLE * 8}, f"{name}: {partition(path)}")
        expect_a_whole_home(path, "" if name in ("blank", "cut") else volumes.KEPT)
        expect("No errors detected" in run("sfdisk", "--verify", path), f"{name}: {run('sfdisk', '--verify', path)}")
    expect(volumes.get(disks["used"], START * MIB + (WHOLE - 1) * 4096, 4096) == bytes(4096), "the mark of before would have the next boot make home anew")


@long_check
def a_disk_that_somebody_made_other_partitions_on_or_that_shrank_stays_as_it_is():
    size = START + volumes.SIZE // MIB
    disks = {"plain": (disk("plain", today, mib=size + 1), None), "rounded": (disk("rounded", today, mib=size + 16), None),
             "behind": (disk("behind", today, behind=BEHIND), "another partition stands behind it"),
             "read-only": (disk("read-only", today), "the disk is read-only"), "small": (disk("small", today, mib=100), "was made smaller, to 100 MiB")}
    paths = [path for path, _ in disks.values()]
    hashed = [homes.digest(path) for path in paths]
    for (name, (path, word)), before, said in zip(disks.items(), hashed, homes.open_all("staying", paths, each=STAYS, read_only=paths[3:4])):
        expect((word or "nothing") in said, f"{name}: {said}")
        expect(homes.digest(path) == before, f"{name} was changed")


@machine_check
def growth_that_is_cut_at_any_write_loses_nothing_and_the_next_boot_ends_it():
    path = disk("logged", today)
    pristine = copied(path, "pristine")
    log = path.with_suffix(".writes")
    expect(homes.open_all("logged", [path], [log], EACH) == [GROWN], "it did not grow")
    entries = writelog.read(log)
    table = next(number for number, entry in enumerate(entries) if entry.data and entry.offset == 0) + 1
    states = homes.states_of(copied(pristine, "replay"), entries, judged)
    expect([grown for _, grown in states] == [cut >= table for cut, _ in states], f"the first table is written at {table}: {states}")
    early, later = [cut for cut, _ in states if cut < table], [cut for cut, _ in states if cut > table]
    expect(len(entries[table - 1].data) == 4096 and any(entry.is_flush for entry in entries[early[-1]:table - 1]), "the first table may come before the second")
    expect(early[-1] > 0 and len(later) > 20, f"only {early} and {later} are cuts")
    note(f"{len(entries)} entries, {len(states)} cuts")
    again = []
    for number in [early[-1], table, *later[1::len(later) // CONTINUED]]:
        again.append(copied(pristine, f"cut-{number}"))
        writelog.apply(again[-1], entries[:number])
    for one, verdict in zip(again, homes.open_all("continued-growth", again, each=EACH)):
        expect(verdict == GROWN, f"{one.name}: {verdict}")
        expect_a_whole_home(one)


@long_check
def a_home_of_64_gib_is_made_with_what_one_of_8_gib_takes():
    disks = [disk(f"of-{gib}", lambda path: None, mib=gib * 1024) for gib in (8, 64)]
    logs = [path.with_suffix(".writes") for path in disks]
    took = [int(verdict) / 100 for verdict in homes.open_all("sizes", disks, logs, TIMED)]
    entries = [writelog.read(log) for log in logs]
    sizes = [sum(len(entry.data) for entry in each) for each in entries]
    note(f"seconds {took}, writes {[len(each) for each in entries]}, bytes {sizes}")
    expect(sizes[1] <= 1.1 * sizes[0], f"{sizes} bytes are written")
