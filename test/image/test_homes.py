"""Which home the initrd takes: its scripts under the shell that reads them, with files in the place of disks and a tree in the place of /sys."""

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
        self.assertEqual(["took /dev/vdb4 whole"], self.find())


class Repaired(unittest.TestCase):
    """In which order a home is repaired: its script with what it calls noted, under the shell."""

    def done(self, state, mounted="whole", codes="0"):
        """What was called. state: the superblock's s_state and s_feature_incompat; mounted: what home_state says; codes: e2fsck's, in turn."""
        stubs = f"""
field() {{ case $2 in 1082) echo {state[0]} ;; 1120) echo {state[1]} ;; esac; }}
base_tool() {{ echo "${{1##*/}} $2" >&2; set -- $codes; codes=${{codes#* }}; return $1; }}
find_home() {{ home=/dev/vdb state={mounted}; }}
start_stopped() {{ echo counts-nothing >&2; }}
stop() {{ echo "stopped: $2" >&2; exit; }}
mkdir() {{ :; }}
chmod() {{ :; }}
mount() {{ echo mounted >&2; }}
is_writable() {{ :; }}
reaches() {{ echo 1; }}
blocks() {{ echo 1; }}
grow_partition() {{ :; }}
grow_file_system() {{ :; }}
say() {{ :; }}
codes="{codes} "
open_home release
"""
        return subprocess.run(["sh", "-c", (ROOT / "appliance/initrd/home.sh").read_text() + stubs], capture_output=True, text=True, check=False).stderr.splitlines()

    def test_a_start_that_repairs_is_counted_as_none_before_e2fsck_begins(self):
        self.assertEqual(["mounted"], self.done(("0100", "42")))
        for state in (("0000", "42"), ("0300", "42"), ("0100", "46")):
            self.assertEqual(["counts-nothing", "e2fsck -p", "mounted"], self.done(state), state)
        self.assertEqual(["counts-nothing", "e2fsck -p", "e2fsck -y", "mounted"], self.done(("0000", "42"), codes="4 1"))
        self.assertEqual(["counts-nothing", "e2fsck -p", "e2fsck -y", "stopped: the home layer is damaged and e2fsck cannot repair it"],
                         self.done(("0000", "42"), codes="4 4"))

    def test_so_is_one_that_takes_a_copy_of_the_first_superblock(self):
        self.assertEqual(["counts-nothing", "e2fsck -y", "mounted"], self.done(("0100", "42"), "beheaded"))


if __name__ == "__main__":
    unittest.main()
