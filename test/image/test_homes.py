"""Which home the initrd takes: its scripts under the shell that reads them, with files in the place of disks and a tree in the place of /sys."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import volumes

ROOT = pathlib.Path(__file__).resolve().parents[2]
MIB = volumes.MIB
SIZE = volumes.SIZE
ENOUGH = 128
"""MiB that a disk must have here, so that few bytes do."""
SCRIPT = """\
{scripts}
system=/dev/vda3
smallest={smallest}
load_fitting() {{ :; }}
await_disks() {{ :; }}
usleep() {{ :; }}
stop() {{ echo "stopped: $*"; exit; }}
say() {{ echo "said: $*"; }}
find_home
tell_of_other_systems
echo "took $home $state"
"""


def home(path, used=2):
    """A home that was mounted so many seconds after 1970."""
    volumes.ext4(path, "WOWHOME", path.stat().st_size // 4096 - 16)
    volumes.put(path, 1068, used.to_bytes(4, "little"))


def cleared(path):
    """Somebody's file system whose first MiB was zeroed."""
    volumes.ext4(path, "photos")
    volumes.put(path, 0, bytes(MIB))


class Taken(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("dev", "sys/block", "sys/class/block", "run/layers"):
            (self.folder / name).mkdir(parents=True)
        self.disk("vda", None, 64 * MIB)
        self.partition("vda3", "WOWSYS", None, MIB)

    def entry(self, name, size, read_only):
        """The kernel's folder of a disk or partition, which stands in that of its disk."""
        disk = name.rstrip("0123456789")
        place = self.folder / "sys/block" / disk / (name if name != disk else "")
        place.mkdir()
        (place / "size").write_text(f"{size // 512}\n")
        (place / "ro").write_text(f"{int(read_only)}\n")
        (self.folder / "sys/class/block" / name).symlink_to(place)
        return place

    def disk(self, name, maker, size=SIZE, read_only=False):
        path = self.folder / "dev" / name
        with open(path, "wb") as file:
            file.truncate(size)
        if maker:
            maker(path)
        (self.entry(name, size, read_only) / "uevent").write_text(f"DEVNAME={name}\n")

    def partition(self, name, label, maker, size=SIZE):
        self.disk(name, maker, size)
        place = self.folder / "sys/class/block" / name
        (place / "uevent").write_text(f"DEVNAME={name}\nPARTNAME={label}\n")
        (place / "partition").write_text(name[-1] + "\n")

    def find(self, smallest=ENOUGH):
        """What it says, a line each, and what was written to no disk."""
        scripts = "".join((ROOT / f"appliance/initrd/{name}.sh").read_text() for name in ("disk", "kind", "home", "homes"))
        text = SCRIPT.format(scripts=scripts, smallest=smallest * 2048)
        for place in ("dev", "sys", "run"):
            text = text.replace(f"/{place}/", f"{self.folder}/{place}/")
        text = text.replace(f"{self.folder}/dev/null", "/dev/null").replace(f"{self.folder}/dev/zero", "/dev/zero")
        before = self.times()
        done = subprocess.run(["busybox", "sh", "-c", text], capture_output=True, text=True, check=True)
        self.assertEqual("", done.stderr)
        self.assertEqual(before, self.times(), "a disk was written to")
        return done.stdout.replace(str(self.folder), "").splitlines()

    def times(self):
        return {path.name: path.stat().st_mtime_ns for path in (self.folder / "dev").iterdir()}

    def stopped(self, *words, **how):
        said = self.find(**how)
        self.assertEqual((1, "stopped:"), (len(said), said[0].split(" ", 1)[0]), said)
        for word in words:
            self.assertIn(word, said[0])

    def test_the_partition_beside_the_system_as_ever(self):
        self.partition("vda4", "WOWHOME", None)
        self.assertEqual(["took /dev/vda4 blank"], self.find())
        home(self.folder / "dev/vda4")
        self.assertEqual(["took /dev/vda4 whole"], self.find())

    def test_the_only_blank_disk_where_the_system_has_no_partition(self):
        self.disk("vdb", volumes.luks)
        self.disk("vdc", None)
        self.disk("vdd", None, 1 * MIB)
        self.assertEqual(["took /dev/vdc blank"], self.find())

    def test_two_blank_disks_stop_the_boot(self):
        self.disk("vdb", None)
        self.disk("vdc", None)
        self.stopped("several disks are blank: /dev/vdb /dev/vdc.")

    def test_what_is_no_blank_disk_is_named_with_its_size_and_what_it_holds(self):
        makers = {"b": volumes.luks, "c": volumes.xfs, "d": lambda path: volumes.ext4(path, "photos"), "e": lambda path: volumes.table(path, "gpt"), "f": cleared,
                  "g": lambda path: volumes.put(path, SIZE - 512, b"EFI PART"), "h": lambda path: volumes.put(path, SIZE // 2, b"x"), "j": volumes.random_bytes}
        for letter, maker in makers.items():
            self.disk(f"vd{letter}", maker)
        self.disk("vdi", None, read_only=True)
        self.disk("vdk", None, 64 * MIB)
        self.disk("vdl", None)
        self.partition("vdl1", "theirs", None)
        behind = "(192 MiB) has a blank start and data behind it"
        self.stopped("there is no disk for the home", "/dev/vdb (192 MiB) holds a LUKS volume", "/dev/vdc (192 MiB) holds an XFS file system",
                     "/dev/vdd (192 MiB) holds an ext4 file system", "/dev/vde (192 MiB) holds a partition table (GPT)", f"/dev/vdf {behind}", f"/dev/vdg {behind}",
                     f"/dev/vdh {behind}", "/dev/vdi (192 MiB) is read-only", "/dev/vdj (192 MiB) holds data of an unknown kind", "/dev/vdk (64 MiB) is too small",
                     "/dev/vdl (192 MiB) has partitions", "Nothing was changed")

    def test_a_home_takes_a_gibibyte(self):
        self.assertIn("\nsmallest=2097152 # sectors", (ROOT / "appliance/initrd/homes.sh").read_text())
        self.disk("vdb", None, 1023 * MIB)
        self.stopped("no blank disk of 1024 MiB or more; /dev/vdb (1023 MiB) is too small", smallest=1024)

    def test_a_home_on_its_own_disk_comes_before_a_blank_partition_and_blank_disks(self):
        self.partition("vda4", "WOWHOME", None)
        self.disk("vdb", None)
        self.disk("vdc", home)
        self.assertEqual(["took /dev/vdc whole"], self.find())

    def test_of_several_homes_the_one_that_was_used_last_is_taken_and_told(self):
        self.partition("vda4", "WOWHOME", lambda path: home(path, 0x60000003))
        self.disk("vdb", lambda path: home(path, 0x60000005))
        self.disk("vdc", lambda path: home(path, 0x60000004))
        said = self.find()
        self.assertEqual("took /dev/vdb whole", said[-1])
        self.assertEqual('said: home take=/dev/vdb what="of several homes the one that was used last; /dev/vda4 /dev/vdc left as it is; the system is /dev/vda3"', said[0])
        self.assertEqual("/dev/vdb /dev/vda4 /dev/vdc\n", (self.folder / "run/layers/homes").read_text().replace(str(self.folder), ""))

    def test_a_home_that_lost_its_first_superblock_is_one(self):
        self.disk("vdb", volumes.beheaded_home)
        self.disk("vdc", None)
        self.assertEqual(["took /dev/vdb beheaded"], self.find())

    def test_a_home_whose_making_was_cut_is_made_to_its_end_and_no_other(self):
        self.disk("vdb", None)
        self.disk("vdc", lambda path: volumes.put(path, SIZE - 4096, volumes.MARK))
        self.assertEqual(["took /dev/vdc unfinished"], self.find())

    def test_a_blank_disk_beside_a_blank_partition_is_left_and_told(self):
        self.partition("vda4", "WOWHOME", None)
        self.disk("vdb", None)
        self.assertEqual(['said: home take=/dev/vda4 what="the partition beside the system; /dev/vdb could have had a home, too, and stays as it is"',
                          "took /dev/vda4 blank"], self.find())

    def test_what_somebody_made_of_the_partition_is_named_and_a_blank_disk_has_the_home_then(self):
        self.partition("vda4", "WOWHOME", volumes.luks)
        self.stopped("stopped: /dev/vda4 ", "LUKS", "give the machine a blank disk")
        self.disk("vdb", None)
        self.assertEqual(["took /dev/vdb blank"], self.find())

    def test_a_home_of_an_earlier_machine_s_disk_is_taken(self):
        self.disk("vdb", None, 64 * MIB)
        self.partition("vdb3", "WOWSYS", None, MIB)
        self.partition("vdb4", "WOWHOME", home)
        self.assertEqual(['said: system take=/dev/vda3 what="several disks have a system; /dev/vdb3 left as it is. If this start is of another one, take off the disk that does '
                          'not belong here"', "took /dev/vdb4 whole"], self.find())


class Repaired(unittest.TestCase):
    """In which order a home is repaired: its script with what it calls noted, under the shell."""

    BOTH = ("home", "state")
    FOUND = ("lost+found/#11", "lost+found/#12/alice", "lost+found/#6337/condor", "lost+found/#6337/machine-id", "lost+found/#6338/surge/upper")
    """What is where after a disk lost the first of all folders and e2fsck was there."""
    OWNED = {"#11": "directory 0 700", "#12": "directory 0 755", "#6337": "directory 0 700", "#6338": "directory 0 700", "alice": "1000"}
    """What the shell's stat says of it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        os.mkfifo(self.folder / "told")

    def have(self, place, names):
        shutil.rmtree(self.folder / place, ignore_errors=True)
        (self.folder / place).mkdir()
        for path in (self.folder / place / name for name in names):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch() if path.name == "machine-id" else path.mkdir()

    def done(self, state, mounted="whole", codes="0", mounts="0", copy="same", unread="0", here=BOTH, after=BOTH, is_full=False, **owned):
        """What was called. state: the superblock's s_state and s_feature_incompat; mounted: what home_state says; codes, mounts: e2fsck's and mount's, in turn; copy: of
        the first group descriptor; unread: how many blocks the disk does not read, of each e2fsck in turn; here, after: what home has before and after e2fsck -y; is_full:
        whether e2fsck looks at all without being asked to, and goes on when people were told; owned: other owners."""
        self.have("home", here)
        self.have("after", after)
        (self.folder / "said").write_text("")
        owners = " ".join(f"'{name}') echo {words} ;;" for name, words in {**self.OWNED, **owned}.items())
        stubs = f"""
field() {{ case $2 in 1082) echo {state[0]} ;; 1120) echo {state[1]} ;; 4096) echo same ;; *) echo {copy} ;; esac; }}
base_tool() {{
    echo $(echo ${{1##*/}} $2 ${{3##/*}} ${{4##/*}}) >&2
    [ "$2" != -y ] || {{ echo "Pass 1: Checking inodes, blocks, and sizes"; rm -rf {self.folder}/home; cp -r {self.folder}/after {self.folder}/home; }}
    [ "$2" != -p ] || [ {int(is_full)} = 0 ] || {{ echo "$4 contains a file system with errors, check forced."; read -r told < {self.folder}/told; }}
    next unread; [ $first = 0 ] || yes "Error reading block 7 (Input/output error)" | head -n $first
    next codes; return $first
}}
next() {{ read first rest < {self.folder}/$1; echo $rest > {self.folder}/$1; }}
sleep() {{ echo sleep $1 >&2; }}
warn() {{ echo "warned: $2" >&2; }}
find_home() {{ home=/dev/vdb state={mounted}; }}
start_stopped() {{ echo counts-nothing >&2; }}
stop() {{ echo "stopped: $2" >&2; exit; }}
mount() {{ set -- $mounts; mounts=${{mounts#* }}; [ "$1" != 0 ] || echo mounted >&2; return $1; }}
umount() {{ :; }}
stat() {{ set -- "${{3%/}}"; case ${{1##*/}} in {owners} esac; }}
is_writable() {{ :; }}
reaches() {{ echo 1; }}
blocks() {{ echo 1; }}
grow_partition() {{ :; }}
grow_file_system() {{ :; }}
say() {{ case $* in "home "*"all of the home is looked at, "*) echo told > {self.folder}/told ;; esac; shift; echo "$*" >> {self.folder}/said; }}
echo {codes} 0 0 > {self.folder}/codes; echo {unread} 0 0 0 > {self.folder}/unread
mounts="{mounts} 0 "
open_home release
"""
        script = (ROOT / "appliance/initrd/home.sh").read_text().replace("/run/layers", str(self.folder)).replace("/run/e2fsck", f"{self.folder}/e2fsck") + stubs
        return subprocess.run(["busybox", "sh", "-c", script], capture_output=True, text=True, check=False, timeout=20).stderr.splitlines()

    def said(self):
        """The lines of the console."""
        return (self.folder / "said").read_text().splitlines()

    def names(self):
        """What the home has at last."""
        return sorted(str(path.relative_to(self.folder / "home")) for path in (self.folder / "home").rglob("*"))

    def test_a_start_that_repairs_is_counted_as_none_before_e2fsck_begins(self):
        self.assertEqual(["mounted"], self.done(("0100", "42")))
        for state in (("0000", "42"), ("0300", "42"), ("0100", "46")):
            self.assertEqual(["counts-nothing", "e2fsck -p", "mounted"], self.done(state), state)
        self.assertEqual(["counts-nothing", "e2fsck -p", "e2fsck -y -f", "mounted"], self.done(("0000", "42"), codes="4 1"))
        self.assertEqual(["counts-nothing", "e2fsck -p", "e2fsck -y -f", "stopped: the home layer is damaged and e2fsck cannot repair it"],
                         self.done(("0000", "42"), codes="4 4"))

    def test_a_look_at_all_of_the_home_is_told_before_it_ends_and_what_came_of_it_after_that(self):
        looks, tells = (f'repair=/dev/vdb what="all of the home {words}"' for words in ("is looked at, which takes minutes: leave this machine on", "was looked at{}"))
        for code, words in (("0", ": nothing is wrong"), ("1", ", and it is repaired")):
            self.done(("0300", "42"), codes=code, is_full=True)
            self.assertEqual([looks, tells.format(words)], self.said())
        self.done(("0300", "42"), codes="4 1", is_full=True)
        self.assertEqual([looks, 'repair=/dev/vdb what="damaged beyond the journal; repairing all that can be repaired, which takes minutes: leave this machine on"',
                          tells.format(", and it is repaired")], self.said())

    def test_where_only_the_journal_is_replayed_or_nothing_is_to_be_done_there_is_no_word(self):
        for state in (("0100", "42"), ("0100", "46")):
            self.assertEqual("mounted", self.done(state)[-1])
            self.assertEqual([], self.said())

    def test_e2fsck_says_that_it_looks_at_all_as_the_initrd_hears_it(self):
        """The program itself, in the place of the base's, with a file system that has an error noted."""
        place = self.folder / "disk"
        volumes.blank(place)
        volumes.ext4(place, "WOWHOME")
        volumes.run("debugfs", "-w", "-R", "ssv state 3", place)
        stubs = 'base_tool() { shift; e2fsck "$@" 2>&1; }\nsay() { shift; echo "$*" >&2; }\n'
        script = (ROOT / "appliance/initrd/home.sh").read_text().replace("/run/e2fsck", f"{self.folder}/e2fsck") + stubs
        for option, words in (("-p", ["is looked at, which takes minutes: leave this machine on", "was looked at: nothing is wrong"]), ("-p", []),
                              ("-y -f", ["was looked at: nothing is wrong"])):
            done = subprocess.run(["busybox", "sh", "-c", f"{script}check_home {place} {option}"], capture_output=True, text=True, check=True)
            self.assertEqual([f'repair={place} what="all of the home {one}"' for one in words], done.stderr.splitlines())

    def test_so_is_one_that_takes_a_copy_of_the_first_superblock(self):
        self.assertEqual(["counts-nothing", "e2fsck -y -b 32768", "mounted"], self.done(("0100", "42"), "beheaded"))

    def test_one_that_does_not_mount_is_repaired_as_a_whole_and_mounted_once_more(self):
        self.assertEqual(["counts-nothing", "e2fsck -y -f", "mounted"], self.done(("0100", "42"), codes="1", mounts="32"))
        self.assertEqual(["counts-nothing", "e2fsck -p", "counts-nothing", "e2fsck -y -f", "mounted"], self.done(("0000", "42"), codes="1 1", mounts="32"))
        self.assertEqual(["counts-nothing", "e2fsck -y -f", "stopped: the home layer does not mount"], self.done(("0100", "42"), codes="1", mounts="32 32"))
        self.assertEqual(["counts-nothing", "e2fsck -y -f", "stopped: the home layer is damaged and e2fsck cannot repair it"],
                         self.done(("0100", "42"), codes="4", mounts="32"))

    def test_group_descriptors_that_the_disk_cannot_read_are_taken_from_their_copy(self):
        begun = ["counts-nothing", "e2fsck -y -f", "e2fsck -y -f -b"]
        self.assertEqual([*begun, "mounted"], self.done(("0100", "42"), codes="8 1", mounts="32"))
        self.assertEqual([*begun, "stopped: the home layer is damaged and e2fsck cannot repair it"], self.done(("0100", "42"), codes="8 8", mounts="32"))

    def test_what_the_disk_does_not_read_is_tried_once_more_before_it_is_written_over_and_that_is_told(self):
        begun = ["counts-nothing", "e2fsck -p", "sleep 30", "e2fsck -p"]
        self.assertEqual([*begun, "mounted"], self.done(("0000", "42"), codes="4 1", unread="1 0"))
        lost = "warned: the disk could not read 2 blocks of the home: files that stood there are lost"
        self.assertEqual([*begun, "e2fsck -y -f", lost, "mounted"], self.done(("0000", "42"), codes="4 4 1", unread="1 1 2"))
        self.assertEqual(["e2fsck -y -f", lost, "mounted"], self.done(("0100", "42"), codes="1", mounts="32", unread="2")[1:])

    def test_where_the_group_descriptors_are_lost_nothing_is_written_before_e2fsck_takes_their_copy(self):
        self.assertEqual(["counts-nothing", "e2fsck -y -f", "mounted"], self.done(("0100", "46"), codes="1", copy="others"))

    def test_folders_that_the_disk_lost_are_looked_for_and_get_their_names_again(self):
        whole = sorted(("home", "home/alice", "lost+found", *self.FOUND[:1], "lost+found/#6338", "lost+found/#6338/surge", self.FOUND[4],
                        "state", "state/condor", "state/machine-id"))
        self.assertEqual(["counts-nothing", "e2fsck -y -f", "mounted"], self.done(("0100", "42"), codes="1", here=(), after=self.FOUND)[1:])
        self.assertEqual(whole, self.names())
        said = self.done(("0300", "42"), codes="4 1", here=(), after=self.FOUND)
        self.assertEqual(["counts-nothing", "e2fsck -p", "e2fsck -y -f", "mounted"], said, "a start after it")
        self.assertEqual(whole, self.names())

    def test_nothing_is_made_in_the_place_of_what_cannot_be_found(self):
        """Neither where there is none, nor where several may be meant, nor where it is not root's."""
        two = (*self.FOUND, "lost+found/#99/alice", "lost+found/#98/condor", "lost+found/#98/machine-id")
        for after, owned in (((), {}), (("home",), {}), (("state",), {}), (self.FOUND[:2], {}), (self.FOUND[2:], {}), (self.FOUND, {"alice": "0"}),
                             (self.FOUND, {"#12": "directory 1000 755"}), (self.FOUND, {"#6337": "directory 1000 700"}), (self.FOUND, {"#6337": "regular file 0 700"}),
                             (two, {"#99": "directory 0 755"}), (two, {"#98": "directory 0 700"})):
            said = self.done(("0100", "42"), here=(), after=after, **owned)
            self.assertEqual(["mounted", "counts-nothing", "e2fsck -y -f", "mounted", "stopped: the home layer has lost its folders home or state"], said)
            self.assertNotEqual({"home", "state"}, {"home", "state"} & set(self.names()), (after, owned))

    def test_no_program_in_a_home_is_another_account_for_who_starts_it(self):
        """Whoever runs a person's job sends that person files of whatever mode."""
        script = (ROOT / "appliance/initrd/home.sh").read_text().replace("/run/layers", str(self.folder))
        for call in ("open_home ephemeral", "mount_home /dev/vdb"):
            stubs = 'mount() { case $2 in ext4 | tmpfs) echo "$4" ;; esac; }\numount() { :; }'
            said = subprocess.run(["busybox", "sh", "-c", f"{script}\n{stubs}\n{call} || :"], capture_output=True, text=True, check=True).stdout.splitlines()
            self.assertTrue(said, call)
            self.assertTrue(all("nosuid" in options.split(",") for options in said), said)

    def test_what_a_reset_has_yet_to_make_is_not_lost(self):
        self.assertEqual(["mounted"], self.done(("0100", "42"), here=("gone-state",)))
        self.assertEqual(["gone-state"], self.names(), "it has room first")

    def test_a_home_without_what_the_machine_needs_of_it_starts_nothing(self):
        script = (ROOT / "appliance/initrd/home.sh").read_text().replace("/run/layers", str(self.folder))
        for bad in ("home", "state", "condor"):
            self.have("home", (*self.BOTH, "state/condor", "state/machine-id"))
            stubs = f'stat() {{ echo 1; }}\nmount() {{ case $2 in */{bad}) return 1 ;; esac; }}\nstop() {{ echo "stopped: $2"; exit; }}\nmode=develop'
            text = f"{script}\n{stubs}\nbind_home /root\necho on"
            said = subprocess.run(["busybox", "sh", "-c", text], capture_output=True, text=True, check=True).stdout.splitlines()
            self.assertEqual("stopped: the folders home and state cannot be read", said[-1], said)


if __name__ == "__main__":
    unittest.main()
