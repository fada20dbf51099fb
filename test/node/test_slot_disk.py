"""What disk space a job has: what HTCondor and the kernel count, and how a starter learns it before its job."""
import errno
import os
import pathlib
import socket
import struct
import tempfile
import unittest
from unittest import mock

import samples

from wow.condor import start
from wow.lib import paths
from wow.slots import begun, counting, disk, quota

SLOT = ["SlotID = 1", 'Name = "slot1_1@alpha"', "Disk = 17408", "TotalDisk = 99999", "DiskUsage = 3"]


def message(*ads, part=4096):
    """Ads as HTCondor sends them: numbers of 8 bytes, texts that end in a zero; in parts that each say whether they are the last, and their length."""
    text = b"".join((len(ad) - ad.count("ZKM")).to_bytes(8, "big") + b"".join(f"{line}\0".encode() for line in [*ad, "Machine", ""]) for ad in ads)
    parts = [text[at:at + part] for at in range(0, len(text), part)]
    return b"".join(bytes([one is parts[-1]]) + len(one).to_bytes(4, "big") + one for one in parts)


def is_exceeded(kib, usage, count):
    """The ClassAd expression, worked out."""
    text = disk.exceeded("KIB").replace("||", "or").replace("=?= true", "").replace("/", "//")
    return eval(text, {"KIB": kib, "DiskUsage": usage, "ScratchDirFileCount": count})  # noqa: S307  the text is ours


class Limits(unittest.TestCase):
    def test_a_job_within_what_it_asked_for_meets_no_limit_however_small_its_files_are(self):
        for kib in (1024, 16 << 10, 1 << 20, 64 << 20):
            most, inodes = disk.kernel(kib)
            for count in range(10, disk.FILES + kib // disk.KIB_A_FILE, 97):
                usage = kib + disk.GRACE - disk.BLOCK * count
                if 0 <= usage <= kib:
                    self.assertFalse(is_exceeded(kib, usage, count))
                    self.assertLess(usage + disk.BLOCK * count, most)
                self.assertLess(count, inodes)

    def test_what_meets_the_kernel_s_limit_is_held(self):
        for kib in (1024, 16 << 10, 1 << 20, 64 << 20):
            most, inodes = disk.kernel(kib)
            for count in (10, 1000, kib // 64):
                self.assertTrue(is_exceeded(kib, most - disk.BLOCK * count, count), (kib, count))
            self.assertTrue(is_exceeded(kib, 0, inodes - disk.OWN_FILES))

    def test_what_all_slots_may_write_beyond_what_they_were_given_is_little(self):
        whole = 64 << 20
        self.assertLess((disk.kernel(whole)[0] - whole) / whole, 0.005)
        self.assertLess(disk.kernel(16 << 10)[0] - (16 << 10), 3 << 10)

    def test_nothing_is_exceeded_before_it_was_measured(self):
        self.assertTrue(disk.exceeded("Disk").endswith("=?= true)"), "an undefined figure is no reason to hold a job")


class Ad(unittest.TestCase):
    def test_the_slot_s_disk_is_found_however_the_message_is_cut_into_parts(self):
        for part in (5, 17, 64, 4096):
            self.assertEqual(17408, begun.disk_of(message(SLOT, ["Cmd = 1"], part=part)))

    def test_only_the_slot_s_own_ad_counts_and_of_that_the_last_word(self):
        self.assertEqual(17408, begun.disk_of(message(["Disk = 999999", *SLOT], ["Disk = 5"])))
        self.assertEqual(17408, begun.disk_of(message(["ZKM", "Capability = 1", *SLOT])))

    def test_what_is_no_whole_ad_with_a_disk_is_refused(self):
        sent = message(SLOT)
        for wrong in (b"", sent[:-1], sent[:40], message(["Memory = 5"]), message(["Disk = 0"]), message(["Disk = -4"]), message(["Disk = undefined"]), b"\1\0\0\0\4abcd",
                      b"\1\0\0\0\x09\0\0\0\0\0\0\xff\xffD"):
            with self.assertRaises(ValueError, msg=wrong):
                begun.disk_of(wrong)

    def test_what_waits_is_left_for_the_starter(self):
        one, other = socket.socketpair()
        with one, other:
            one.sendall(message(SLOT))
            self.assertEqual(17408, begun.disk_of(begun.waiting(other.fileno())))
            self.assertEqual(message(SLOT), other.recv(1 << 16))


class Starter(unittest.TestCase):
    def test_the_account_is_that_of_the_slot_and_there_is_none_for_anything_else(self):
        self.assertEqual(2003, begun.account_of(["-f", "-local-name", "slot_type_1", "-a", "slot1_3", "alpha.pool.internal"]))
        self.assertEqual(paths.LAST_JOB_UID, begun.account_of(["-a", f"slot1_{paths.JOB_ACCOUNTS}"]))
        for none in (["-classad"], ["-a"], ["-a", "slot1"], ["-a", "slot1_0"], ["-a", "slot1_129"], ["-a", "slot2_1"], ["-a", "slot1_-1"], ["-a", "slot1_²"]):
            self.assertIsNone(begun.account_of(none), none)

    def test_the_socket_is_the_first_that_the_startd_gives(self):
        self.assertEqual(17, begun.descriptor("4242 <10.0.0.1:9618?alias=a&sock=startd_1> 1 17*1*0*0*0*0*** 1 18*2*0 0 0"))
        for none in ("", "4242 <10.0.0.1:9618> 0 0", "4242 <10.0.0.1:9618> 2 17*1"):
            with self.assertRaises(ValueError):
                begun.descriptor(none)

    def start(self, inherited, refusal=None):
        """What the account is given, and what the journal gets."""
        with mock.patch.object(quota, "bound", side_effect=refusal) as bound, mock.patch("syslog.syslog") as log, mock.patch.object(begun, "note"), \
                mock.patch.object(begun.left, "end") as ended:
            begun.begin(["-f", "-a", "slot1_2", "alpha"], inherited)
        ended.assert_called_once_with(2002)
        return bound.call_args.args, [call.args[0] for call in log.call_args_list]

    def test_a_starter_gives_its_account_the_space_of_its_slot(self):
        one, other = socket.socketpair()
        with one, other:
            one.sendall(message(SLOT))
            self.assertEqual(((2002, *disk.kernel(17408)), []), self.start(f"1 <a> 1 {other.fileno()}*1 0"))

    def test_where_the_space_is_not_known_a_former_job_s_limit_does_not_stay(self):
        given, said = self.start("1 <a> 0")
        self.assertEqual((2002, 0, 0), given)
        self.assertIn("account 2002's job is not known", said[0])

    def test_a_job_whose_own_words_hide_the_space_is_not_started(self):
        one, other = socket.socketpair()
        with one, other, mock.patch.object(quota, "bound") as bound, mock.patch("syslog.syslog") as log, mock.patch.object(begun.left, "end"):
            one.sendall(message([*SLOT, f'ProjectName = "{"x" * (begun.MOST // 2)}"'])[:begun.MOST // 4])
            with self.assertRaises(SystemExit) as ended:
                begun.begin(["-f", "-a", "slot1_2", "alpha"], f"1 <a> 1 {other.fileno()}*1 0")
        self.assertEqual((1, 0), (ended.exception.code, bound.call_count))
        self.assertIn("the job of account 2002 is not started", log.call_args.args[0])

    def test_no_job_is_started_in_the_slot_that_all_others_are_parts_of(self):
        for slot in ("slot1", f"slot1_{paths.JOB_ACCOUNTS + 1}"):
            with mock.patch("syslog.syslog") as log, self.assertRaises(SystemExit) as ended:
                begun.begin(["-f", "-local-name", "slot_type_1", "-a", slot, "alpha"], "1 <a> 0")
            self.assertEqual(ended.exception.code, 1)
            self.assertIn(f"-a {slot} alpha", log.call_args.args[0])
        begun.begin(["-classad"], "")

    def test_a_kernel_that_does_not_count_keeps_no_job_off(self):
        said = self.start("1 <a> 0", OSError(errno.ESRCH, "No such process"))[1]
        self.assertIn("does not bound what jobs write: No such process", said[-1])


class Quota(unittest.TestCase):
    def test_the_kernel_s_file_is_made_anew_though_a_power_cut_left_it_immutable(self):
        asked = []

        def ioctl(_, command, flags):
            asked.append((command, int.from_bytes(flags, "little")))
            return struct.pack("<Q", 0x80010)
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(counting.fcntl, "ioctl", ioctl):
            path = pathlib.Path(folder) / counting.NAME
            counting.make(str(path))
            self.assertEqual([], asked)
            first = path.read_bytes()
            path.write_bytes(b"what the kernel counted" * 1000)
            number = path.stat().st_ino
            counting.make(str(path))
            self.assertEqual([(counting.GET_FLAGS, 0), (counting.SET_FLAGS, 0x80000)], asked)
            self.assertEqual((first, number), (path.read_bytes(), path.stat().st_ino), "a full disk may have no other place for it")
            self.assertEqual(0o600, path.stat().st_mode & 0o777)
        self.assertEqual((counting.EMPTY, 0xd9c01f11, 1, 2), (len(first), *struct.unpack_from("<II", first), *struct.unpack_from("<I", first, 20)))

    def test_a_device_is_found_by_its_number(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder) / "254:4"
            place.mkdir()
            (place / "uevent").write_text("MAJOR=254\nMINOR=4\nDEVNAME=vda4\nDEVTYPE=partition\n")
            self.assertEqual("/dev/vda4", counting.device(os.makedev(254, 4), folder))
            with self.assertRaisesRegex(OSError, "home is on no disk"):
                counting.device(os.makedev(0, 31), folder)

    def test_nothing_is_made_of_a_home_in_memory(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(counting, "device", side_effect=OSError(errno.ENOTBLK, "home is on no disk", folder)):
            with self.assertRaises(OSError):
                counting.begin(folder)
            self.assertEqual([], os.listdir(folder))

    def bound(self, *arguments, used=(0, 0)):
        """What the kernel is told, where the account has so many bytes and files."""
        told = []

        def ask(path, command, account, values):
            if command == quota.GET:
                values.raw = quota.VALUES.pack(5, 0, used[0], 6, 0, used[1], 0, 0, 63)
            told.append((path, command, account, quota.VALUES.unpack(values)))
        with mock.patch.object(quota, "_ask", ask):
            quota.bound(*arguments, path="/home")
        path, command, account, values = told[-1]
        self.assertEqual(("/home", quota.SET, quota.LIMITS), (path, command, values[-1]))
        return account, values[0], values[3]

    def test_a_limit_counts_from_what_the_account_has(self):
        self.assertEqual((2001, 100, 7), self.bound(2001, 100, 7))
        self.assertEqual((2001, 103, 11), self.bound(2001, 100, 7, used=(2049, 4)))
        self.assertEqual((2001, 0, 0), self.bound(2001, 0, 9, used=(2049, 4)))

    def test_a_place_where_nothing_is_counted_is_known(self):
        self.assertFalse(quota.is_on("/proc"))
        with self.assertRaises(OSError):
            quota.bound(2001, 5, 5, "/proc")

    def test_what_is_counted_already_is_left_alone(self):
        with mock.patch.object(quota, "is_on", lambda path: True), mock.patch.object(counting, "make") as make:
            counting.begin("/home")
        self.assertFalse(make.called)

    def test_where_it_cannot_be_counted_the_journal_says_why_and_htcondor_starts(self):
        for role, times in (("worker", 1), ("login", 0)):
            with mock.patch.object(counting, "begin", side_effect=OSError(errno.EROFS, "Read-only file system", "/x")), mock.patch("builtins.print") as said, \
                    mock.patch.multiple(start, **dict.fromkeys(("control", "pace", "managers", "system", "files", "tell", "limits", "refused"), mock.DEFAULT)) as others:
                start.start(samples.pool(node__role=role), "10.128.3.4", "alpha")
            others["system"].systemctl.assert_called_once_with("restart", "--no-block", "condor.service")
            self.assertEqual(["/x: Read-only file system" in call.args[0] for call in said.call_args_list], [True] * times)
