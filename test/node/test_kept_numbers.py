"""People keep their numbers, and so their homes, whatever becomes of the file that has the numbers."""
import base64
import errno
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import samples

from wow.config import poolconf, ticket, users
from wow.lib import files, pem
from wow.lib.errors import WowError
from wow.setup import accounts, configure, outside

REAL = files.write
SPOILT = (b"\0" * 40, b"alice 1000\nbo", b"alice 1000\n\xff\xfe 1\n", b"alice 1001\nbob 1001\n", b"alice 0\n", b"alice 1000 7\nbob x\n")


class Kept(unittest.TestCase):
    """wow-config's own functions, with other folders in the place of the machine's."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.state, self.run = self.folder / "state", self.folder / "run"
        for place in (self.state, self.run, self.folder / "homes"):
            place.mkdir()
        self.numbers = self.state / "users"
        self.said = []
        for place, name, value in ((accounts, "NUMBERS", str(self.numbers)), (accounts, "HOMES", str(self.folder / "homes")), (accounts.console, "say_of_start", self.said.append),
                                   (accounts.paths, "STATE", str(self.state)), (accounts.paths, "RUN", str(self.run)), (ticket, "KEPT", str(self.state / "ticket")),
                                   (ticket, "TAKEN", str(self.run / "ticket")), (ticket, "CERTIFICATE", str(self.state / "node.pem"))):
            patch = mock.patch.object(place, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def lives(self, **people):
        """Their homes are there."""
        for name, uid in people.items():
            (self.folder / "homes" / name).mkdir()
            os.chown(self.folder / "homes" / name, uid, uid)

    def test_nobody_gets_another_one_s_number_where_the_file_cannot_be_written(self):
        self.numbers.write_text("alice 1000\nbob 1001\nmallory 1002\n")

        def write(path, *words, **named):
            if path == str(self.numbers):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
            REAL(path, *words, **named)
        with mock.patch.object(files, "write", write):
            found = accounts.numbers(("aaron", "alice", "bob", "mallory"))
        self.assertEqual({"alice": 1000, "bob": 1001, "mallory": 1002, "aaron": 1003}, found)
        self.assertIn("cannot be written: No space left on device", str(self.said[0]))

    def test_nobody_gets_another_one_s_number_where_the_file_cannot_be_read(self):
        self.lives(mallory=1000, bob=1001, gone=1004)
        self.numbers.mkdir()
        self.assertEqual({"mallory": 1000, "bob": 1001, "gone": 1004, "carol": 1005}, accounts.numbers(("bob", "carol", "mallory")))
        self.assertIn("cannot be read: Is a directory", str(self.said[0]))

    def test_a_spoilt_file_is_made_anew_by_the_owners_of_homes(self):
        self.lives(alice=1000, bob=1001)
        (self.folder / "homes/link").symlink_to("/root")
        (self.folder / "homes/lost+found").mkdir()
        for spoilt in SPOILT:
            self.numbers.write_bytes(spoilt)
            found = accounts.numbers(("aaron", "bob", "alice"))
            self.assertEqual((1000, 1001, 1002), (found["alice"], found["bob"], found["aaron"]), spoilt)
            self.assertEqual(found, accounts.numbers(()), "it is written")
        self.assertEqual([], self.said)

    def test_behind_the_last_number_the_lowest_free_one_is_given_and_none_of_a_job_s(self):
        self.lives(bob=1000)
        self.numbers.write_text("alice 1001\nspoilt 1998\n")
        first = accounts.numbers(("alice", "bob", "carol", "dave", "erin"))
        self.assertEqual({"bob": 1000, "alice": 1001, "spoilt": 1998, "carol": 1999, "dave": 1002, "erin": 1003}, first)
        self.assertEqual(first, accounts.numbers(("erin",)), "each number is read back")

    def test_who_gets_no_number_has_no_account_and_that_is_told(self):
        self.numbers.write_text("".join(f"p{number} {number}\n" for number in range(users.FIRST_UID, users.LAST_UID)))
        written = {}

        def write(path, text, *words, **named):
            written[path] = text
            if path.startswith(str(self.folder)):
                REAL(path, text, *words, **named)
        with mock.patch.object(files, "write", write), mock.patch.object(accounts, "home") as home, mock.patch.object(accounts.users, "GROUP", "wow-test"):
            accounts.make({"p1000": None, "xaver": "key", "yves": "key", "zoe": "key"}, ["xaver", "yves"])
        self.assertEqual([1000, 1999], [call.args[1] for call in home.call_args_list])
        self.assertNotIn("\nyves:", written["/etc/passwd"])
        self.assertIn(f"\n{users.ADMINS}:x:{users.ADMINS_ID}:xaver\n", written["/etc/group"])
        self.assertEqual(["xaver"], os.listdir(self.run / "keys"))
        (said,) = self.said
        self.assertIn("yves and 1 more can have no account", str(said))

    def test_who_is_called_as_an_account_of_the_system_has_no_account_and_keeps_no_machine_from_its_pool(self):
        more = {f"user:{name}": {"authorized-key": samples.ssh_key()} for name in ("backup", "xaver")}
        pool, written = poolconf.read(samples.text({**samples.sections(), **more}).encode()), {}
        etc = {"/etc/passwd": "root:x:0:0::/root:/bin/bash\nbackup:x:34:34::/:/usr/sbin/nologin\n", "/etc/group": "backup:x:34:\n", "/etc/shadow": "backup:*:::::::\n"}

        def read(path):
            return etc.get(path) or files.find(path) or ""

        def write(path, text, *words, **named):
            written[path] = text
            if path.startswith(str(self.folder)):
                REAL(path, text, *words, **named)
        with mock.patch.object(configure.accept, "choose", lambda: (pool, b"", None)), mock.patch.object(configure, "state"), mock.patch.object(configure.accounts, "own"), \
                mock.patch.object(configure, "generate", lambda pool, _: accounts.make(pool.users, pool.admins)), mock.patch.object(configure.screen, "choose"), \
                mock.patch.object(configure.console, "begin"), mock.patch.object(configure.console, "say"), mock.patch.object(configure.forget, "finish"), \
                mock.patch.object(configure.modes, "developed", lambda: False), mock.patch.object(files, "read", read), mock.patch.object(files, "write", write), \
                mock.patch.object(accounts, "home") as home:
            self.assertEqual(0, configure.main())
        people = [name for name in pool.users if name != "backup"]
        self.assertIn("xaver", people)
        self.assertEqual(sorted(people), sorted(os.listdir(self.run / "keys")))
        self.assertEqual(len(people), home.call_count)
        for text in (written["/etc/passwd"], written["/etc/group"]):
            names = [line.split(":")[0] for line in text.splitlines()]
            self.assertEqual((1, 1), (names.count("backup"), names.count("xaver")), names)
        self.assertNotIn("backup", self.numbers.read_text())
        (said,) = self.said
        self.assertRegex(str(said), r"^pool.conf: \[user:backup\]: backup can have no account here: .*wow pool user remove")

    def test_a_pool_conf_that_is_refused_is_told_of_this_start(self):
        refused = WowError("is of another pool", "To leave it press L", "pool.conf")
        with mock.patch.object(configure.accept, "choose", lambda: (samples.pool(), b"", refused)), mock.patch.object(configure, "state"), \
                mock.patch.object(configure.accounts, "own"), mock.patch.object(configure, "generate"), mock.patch.object(configure.screen, "choose"), \
                mock.patch.object(configure.console, "begin"), mock.patch.object(configure.console, "say"), mock.patch.object(configure.forget, "finish"), \
                mock.patch.object(configure.modes, "developed", lambda: False):
            self.assertEqual(0, configure.main())
        self.assertEqual([refused], self.said)

    def test_a_spoilt_file_of_the_state_keeps_no_machine_from_its_pool(self):
        pool = samples.pool()
        for name, spoilt in (("pool.lines", b"\xff\0\xff"), ("ticket", b"\xff\xff"), ("ticket", b""), ("ca.pem", b"\xff\0")):
            (self.state / name).write_bytes(spoilt)
            with mock.patch.object(configure.accept, "keep"), mock.patch.object(configure, "take_identity"), mock.patch("wow.stack.kept.forget"):
                configure.state(pool, b"")
            self.assertEqual([], self.said, name)
            self.assertFalse((self.run / "ticket").exists(), name)
        self.assertEqual(pem.encode(pool.ca_der), (self.state / "ca.pem").read_text())

    def test_files_of_the_state_that_the_disk_cannot_read_are_written_anew(self):
        pool, disk = samples.pool(), self.folder / "disk"
        (disk / "machine").mkdir(parents=True)
        for name in ("node.key", "node.pem"):
            (disk / "machine" / name).write_text(name)
        for name in ("pool.conf", "pool.lines", "ca.pem", "node.key", "node.pem", "ticket"):
            (self.state / name).symlink_to("/proc/self/mem")  # reading that fails as a bad block does
        with mock.patch.object(configure.paths, "DISK", str(disk)), mock.patch("wow.stack.kept.forget"), mock.patch.object(configure, "copy"), \
                mock.patch.object(configure.accept.keep, "__defaults__", (str(self.state / "pool.conf"),)):
            configure.state(pool, b"accepted")
        self.assertEqual(["accepted", outside.lines(pool), pem.encode(pool.ca_der), "node.key", "node.pem"],
                         [(self.state / name).read_text() for name in ("pool.conf", "pool.lines", "ca.pem", "node.key", "node.pem")])
        self.assertFalse((self.state / "ticket").is_symlink())

    def test_a_ca_whose_own_certificate_cannot_be_read_gets_it_back(self):
        pool, folder = samples.pool(), self.state / "ca"
        folder.mkdir()
        (self.state / "ca.pem").write_text(pem.encode(samples.certificate(until=46)))
        configure.heal_authority(pool, str(folder), str(self.folder / "disk"))
        self.assertEqual([], os.listdir(folder), "there is no CA")
        for name, text in (("ca.key", "-----BEGIN PRIVATE KEY-----\n"), ("ca.db", "SQLite format 3\0")):
            (folder / name).write_text(text)
        (folder / "ca.pem").symlink_to("/proc/self/mem")
        configure.heal_authority(pool, str(folder), str(self.folder / "disk"))
        self.assertEqual(pem.encode(samples.certificate(until=46)), (folder / "ca.pem").read_text(), "the one that the CA renewed it to")
        (folder / "ca.pem").write_text(pem.encode(samples.certificate(until=56)))
        configure.heal_authority(pool, str(folder), str(self.folder / "disk"))
        self.assertEqual(pem.encode(samples.certificate(until=56)), (folder / "ca.pem").read_text(), "a good one stays")

    def test_a_ca_that_lost_its_key_alone_has_it_again_from_a_disk_of_the_same_ca_and_loses_no_record(self):
        disk, own = self.folder / "disk/manager/ca", self.state / "ca"
        disk.mkdir(parents=True)
        own.mkdir()
        key, database = "-----BEGIN PRIVATE KEY-----\n", "SQLite format 3\0"
        for path, text in ((disk / "ca.key", f"{key}disk"), (disk / "ca.db", f"{database}old"), (disk.parent / "node.key", "key"),
                           (own / "ca.db", f"{database}mine"), (own / "ca.pem", pem.encode(samples.certificate(until=56)))):
            path.write_text(text)
        for found, has_node_key, other, taken in (("", True, 7, ""), ("", True, 0, f"{key}disk"), ("", False, 0, f"{key}disk"), (f"{key}mine", True, 0, f"{key}mine")):
            (disk / "ca.pem").write_text(pem.encode(samples.certificate(key=other)))
            (own / "ca.key").write_text(found)
            (self.state / "node.key").write_text("key")
            if not has_node_key:
                (self.state / "node.key").unlink()
            self.said.clear()
            with mock.patch.object(configure.paths, "DISK", str(disk.parents[1])), mock.patch("wow.stack.kept.forget"), mock.patch.object(configure.accept, "keep"):
                configure.state(samples.pool(node__role="manager"), b"")
            self.assertEqual([taken, f"{database}mine", "key"], [path.read_text() for path in (own / "ca.key", own / "ca.db", self.state / "node.key")])
            self.assertEqual((taken != found, False), (bool(self.said), (self.state / "ca.aside-1").exists()))
        self.assertEqual(0o600, (own / "ca.key").stat().st_mode & 0o777)

    def test_a_ca_s_certificate_that_cannot_be_read_makes_no_other_pool_of_this_one(self):
        pool, kept, managers = samples.pool(), self.state / "pool.conf", self.state / "notice-2"
        for spoil in (lambda path: path.symlink_to("/proc/self/mem"), lambda path: path.write_bytes(b"\xff\0"), lambda path: None):
            for accepted, is_other in ((samples.text(samples.sections()).encode(), False),
                                       (samples.changed("ca", "certificate", base64.b64encode(samples.certificate(key=7)).decode()), True)):
                for path in (self.state / "ca.pem", managers, self.state / configure.KEYS):
                    path.unlink(missing_ok=True)
                spoil(self.state / "ca.pem")
                kept.write_bytes(accepted)
                managers.write_text("managers")
                (self.state / configure.KEYS).write_text("keys")
                with mock.patch.object(configure.paths, "DISK", str(self.folder / "none")), mock.patch.object(configure.managers, "KEPT", str(managers)), \
                        mock.patch("wow.stack.kept.forget") as forget, mock.patch.object(configure.accept, "keep"):
                    configure.state(pool, b"")
                self.assertEqual((pem.encode(pool.ca_der), is_other, not is_other, not is_other),
                                 ((self.state / "ca.pem").read_text(), forget.called, managers.exists(), (self.state / configure.KEYS).exists()))

    def test_a_certificate_that_the_disk_cannot_read_is_taken_from_the_configuration_disk_for_the_same_key(self):
        disk = self.folder / "disk"
        disk.mkdir()
        (disk / "node.pem").write_text(pem.encode(samples.certificate()))
        for folder in (disk, self.state):
            (folder / "node.key").write_text("key")
        (self.state / "node.pem").symlink_to("/proc/self/mem")
        configure.take_identity(str(disk), str(self.state))
        self.assertEqual((disk / "node.pem").read_text(), (self.state / "node.pem").read_text())

    def test_a_disk_that_fails_is_told_as_that_and_not_as_a_full_one(self):
        for code, word in ((errno.ENOSPC, "Free some room"), (errno.EDQUOT, "Free some room"), (errno.EIO, "disk is failing"), (errno.EROFS, "disk is failing")):
            self.assertIn(word, accounts.full(OSError(code, os.strerror(code), "ca.pem")).todo)

    def test_a_ticket_that_was_kept_is_taken_up_with_its_own_pool_conf_and_with_no_other(self):
        (self.state / "pool.conf").write_bytes(b"of before")
        (self.state / "ticket").write_text("abc:def\n")
        with mock.patch.object(configure.paths, "DISK", str(self.folder / "none")), mock.patch("wow.stack.kept.forget"), \
                mock.patch.object(configure.accept.keep, "__defaults__", (str(self.state / "pool.conf"),)), \
                mock.patch.object(configure.accept.is_kept, "__defaults__", (str(self.state / "pool.conf"),)):
            configure.state(samples.pool(), b"of before")
            self.assertEqual("abc:def\n", (self.run / "ticket").read_text())
            (self.run / "ticket").unlink()
            for _ in range(2):
                configure.state(samples.pool(), b"a newer one, whose ticket counts")
                self.assertEqual(([], []), ([*self.run.glob("ticket*")], [*self.state.glob("ticket*")]))


if __name__ == "__main__":
    unittest.main()
