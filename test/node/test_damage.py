"""What becomes of a running system of which the disk has lost a part: wow-stack and wow-system mend it, or have the machine start with its other one."""
import os
import unittest
from unittest import mock

from test_diagnose import facts
from test_systems import MATHS, MODULE, ONE, TWO, Fetching, carrying, digest, made

from wow.doctor import diagnose, finding
from wow.lib.errors import WowError
from wow.stack import damage, kept, replace, said, told, waiting

BIG = made(1, base=bytes(range(256)) * 4096, node=b"n" * 5000)


class Case(Fetching):
    """A machine that has B of stack 12, and A of its image, which runs."""

    def setUp(self):
        super().setUp()
        patch = mock.patch.object(damage, "FILE", f"{self.root}/damaged")
        patch.start()
        self.addCleanup(patch.stop)
        self.watches = True

    def look(self):
        """What holds of systems that are whole."""
        if self.watches:
            super().look()

    def layer(self, _, wanted, folder):
        self.brought.append(wanted.name)
        data = {digest(data): data for data in (MATHS, *ONE.values(), *TWO.values(), *BIG.values())}[wanted.digest]
        with open(f"{folder}/{wanted.digest}", "wb") as file:
            file.write(data)

    def lose(self, *kinds, release=ONE):
        """The disk loses a part of files of A, and wow-layers finds it."""
        self.watches = False
        for digest_, path in self.now().files("A").items():
            if digest_ in {digest(release[kind]) for kind in kinds}:
                with open(path, "r+b") as file:
                    file.write(b"XX")
        self.write("damaged", "".join(f"{digest(release[kind])} some/file\n" for kind in kinds))

    def replaced(self):
        replace.restore(self.place, self.now(), self.disk)
        super().replaced()

    def finding(self):
        (found,) = diagnose.system(facts(system=damage.said(self.now()), stack=told.read()))
        self.assertEqual((found.state, found.check), (finding.WRONG, "system"))
        return found


class Mended(Case):
    """There is a whole copy."""

    def test_what_the_pool_publishes_is_fetched_and_written_in_its_place(self):
        self.publish(12, carrying(ONE, MODULE))
        for kinds in (("base",), ("kernel", "node"), ("initrd",)):
            self.brought.clear()
            self.disk.calls.clear()
            self.lose(*kinds)
            inodes = {path: os.stat(path).st_ino for path in self.now().files("A").values()}
            self.write("home/stacks/begun", "once\n")
            code, said = self.bring()
            self.assertEqual((code, sorted(set(self.brought) - {"maths"}), self.is_whole("A")), (0, sorted(kinds), True))
            self.assertIn(said, ("next", "taken"), "it goes on as if nothing had been")
            self.assertEqual(self.disk.calls[:2], [True, False], "WOWSYS takes no more writes")
            self.assertEqual({path: os.stat(path).st_ino for path in inodes}, inodes, "what is mounted is the same file")
            self.assertEqual((damage.lost(self.now()), os.path.exists(self.place.begun)), ({}, False))
            self.assertEqual(diagnose.system(facts(system=damage.said(self.now()), stack=told.read())), [])

    def test_only_blocks_that_differ_are_written(self):
        self.system("A", BIG, "# stack 12\n")
        path = next(path for name, path in self.now().files("A").items() if name == digest(BIG["base"]))
        self.write("copy", BIG["base"])
        data = bytearray(BIG["base"])
        data[70_000:70_010] = b"y" * 10
        self.write(os.path.relpath(path, self.root), bytes(data))
        with mock.patch.object(os, "pwrite", side_effect=os.pwrite) as written:
            damage.mend(digest(BIG["base"]), path, f"{self.root}/copy")
        self.assertEqual([(len(call.args[1]), call.args[2]) for call in written.call_args_list], [(4096, 69632)])
        self.assertEqual(self.data(path), BIG["base"])

    def test_a_block_that_cannot_be_read_is_written_and_a_file_that_was_cut_is_whole_again(self):
        self.system("A", BIG, "# stack 12\n")
        path = next(path for name, path in self.now().files("A").items() if name == digest(BIG["base"]))
        self.write("copy", BIG["base"])
        read = os.pread
        with open(f"{self.root}/copy", "rb") as copy:
            inode = os.fstat(copy.fileno()).st_ino

        def fails(descriptor, size, at):
            if os.fstat(descriptor).st_ino != inode and at == 8192:
                raise OSError(5, "Input/output error")
            return read(descriptor, size, at)
        with mock.patch.object(os, "pread", fails), mock.patch.object(os, "pwrite", side_effect=os.pwrite) as written:
            damage.mend(digest(BIG["base"]), path, f"{self.root}/copy")
        self.assertEqual([call.args[2] for call in written.call_args_list], [8192])
        self.write(os.path.relpath(path, self.root), BIG["base"][:5000])
        damage.mend(digest(BIG["base"]), path, f"{self.root}/copy")
        self.assertEqual(self.data(path), BIG["base"])

    def test_a_copy_that_is_damaged_writes_nothing_and_a_disk_that_keeps_nothing_is_told(self):
        self.write("file", b"damaged")
        self.write("copy", b"damaged, too")
        with self.assertRaises(WowError):
            damage.mend(digest(b"whole"), f"{self.root}/file", f"{self.root}/copy")
        self.assertEqual(self.data(f"{self.root}/file"), b"damaged")
        self.write("copy", b"whole")
        with mock.patch.object(os, "pwrite", side_effect=lambda _, data, at: len(data)), self.assertRaises(WowError) as caught:
            damage.mend(digest(b"whole"), f"{self.root}/file", f"{self.root}/copy")
        self.assertIn("the disk does not keep it", caught.exception.what)

    def test_a_kernel_that_the_other_system_has_too_is_taken_from_there(self):
        self.system("B", made(2, kernel=ONE["kernel"]), "# stack 12\n")
        self.publish(13, b"wow-stack 1\n")
        self.lose("kernel")
        self.assertEqual((self.bring()[0], self.brought, self.is_whole("A")), (0, [], True))

    def test_a_copy_that_is_damaged_is_none_and_the_pool_s_is_fetched(self):
        self.system("B", made(2, kernel=ONE["kernel"]), "# stack 11\n")
        self.write("sys/boot/B/vmlinuz", b"YY" + ONE["kernel"][2:])
        self.write(f"home/layers/{digest(ONE['kernel'])}", b"ZZ" + ONE["kernel"][2:])
        self.publish(12, carrying(ONE))
        self.lose("kernel")
        self.assertEqual((self.bring()[0], self.brought, self.is_whole("A")), (0, ["kernel"], True))

    def test_only_files_of_the_system_s_own_lists_are_written(self):
        self.write("damaged", f"{digest(b'evil')} boot/A/vmlinuz\n{'0' * 64} ../../x\nnonsense\n")
        self.write(f"home/layers/{digest(b'evil')}", b"evil")
        replace.mend(self.place, self.now(), self.disk)
        self.assertEqual((self.disk.calls, self.is_whole("A")), ([], True))


class Left(Case):
    """There is none."""

    def test_the_initrd_is_asked_to_look_and_the_machine_starts_again_by_itself(self):
        self.system("B", TWO, "# stack 11\n")
        self.publish(12, b"wow-stack 1\n")
        self.lose("base")
        self.assertEqual((self.bring(), kept.read(self.place.begun), self.wrote), ((0, "damaged"), "once\n", 0))
        self.assertIn("damaged", said.CODES)
        self.assertIn("with the next start this machine's other system, for the disk has lost a part of this one", told.sentence(told.read()))
        found = self.finding()
        self.assertEqual(found.code, "system-damaged")
        self.assertIn(f"The disk has lost a part of the system A, which runs: layers/base-{digest(ONE['base'])[:12]}.squashfs", found.what)
        self.assertIn("starts with its other system", found.todo)

    def test_without_another_one_that_may_be_whole_people_are_told_and_nothing_is_started(self):
        self.publish(12, b"wow-stack 1\n")
        self.lose("base")
        for other, more in ((False, {}), (True, {"kept": "yes"}), (True, {"damaged": "B"}), (True, {"left": "B"})):
            if other:
                self.system("B", TWO, "# stack 11\n")
            self.write("system", "".join(f"{key}={value}\n" for key, value in {"system": "A", "trial": "", "left": "", "damaged": "", **more}.items()))
            self.assertEqual((self.bring(), os.path.exists(self.place.begun)), ((0, "rotten"), False))
            found = self.finding()
            self.assertEqual((found.code, "home is kept" in found.todo), ("system-rotten", True))
            self.assertEqual("The other system is damaged, too" in found.what, "kept" in more or "damaged" in more)

    def test_a_module_of_the_image_is_no_reason_to_leave_the_system(self):
        self.system("B", TWO, "# stack 11\n")
        self.publish(12, b"wow-stack 1\n")
        self.write("damaged", f"{digest(b'tutorial')} layers/tutorial-1.squashfs\n")
        self.assertEqual((self.bring(), os.path.exists(self.place.begun)), ((0, "rotten"), False))
        self.assertIn("layers/tutorial-1.squashfs", self.finding().what)

    def test_another_system_that_the_pool_publishes_is_taken_all_the_same(self):
        self.publish(12, carrying(TWO))
        self.lose("base")
        self.assertEqual((self.bring(), self.disk.block["trial"]), ((0, "next"), "B"))

    def test_a_disk_that_does_not_keep_what_is_written_is_left_for_the_other_system(self):
        self.publish(12, carrying(ONE, MODULE))
        self.lose("base")
        keeps_nothing = mock.patch.object(os, "pwrite", side_effect=lambda _, data, at: len(data))
        with keeps_nothing:
            self.assertEqual((self.bring(), self.brought), ((0, "rotten"), ["base"]))
            self.system("B", TWO, "# stack 11\n")
            self.assertEqual((self.bring(), self.brought), ((0, "damaged"), ["base"]), "it is fetched once")
        self.assertEqual(kept.read(self.place.begun), "once\n")
        self.assertEqual(self.bring()[1], "next", "it keeps it now")
        self.assertEqual((self.is_whole("A"), os.path.exists(self.place.begun)), (True, False))

    def test_so_is_one_on_which_wow_system_comes_to_no_end(self):
        self.system("B", TWO, "# stack 11\n")
        self.publish(12, carrying(ONE, MODULE))
        self.lose("base")
        with mock.patch.object(self, "replaced", side_effect=WowError("did not end within 900 s", "Look with: journalctl")):
            self.assertEqual((self.bring(), kept.read(self.place.begun)), ((0, "damaged"), "once\n"))

    def test_another_system_that_the_pool_publishes_is_taken_where_nothing_can_be_mended(self):
        """Neither where both kernels are damaged, nor where the disk does not keep what is written."""
        for kernel in (b"YY" + ONE["kernel"][2:], ONE["kernel"]):
            self.system("B", made(3, kernel=ONE["kernel"]), "# stack 11\n")
            self.write("sys/boot/B/vmlinuz", kernel)
            self.disk.block = {"system": "A"}
            self.lose("kernel")
            self.publish(13, carrying(TWO))
            with mock.patch.object(os, "pwrite", side_effect=lambda _, data, at: len(data)):
                self.assertEqual((self.bring(), self.disk.block["trial"], self.is_whole("B")), ((0, "next"), "B", True))

    def test_what_was_left_is_written_whole_and_tried_anew(self):
        self.system("B", TWO, "# stack 12\n")
        os.unlink(f"{self.sys}/layers/base-{digest(TWO['base'])[:12]}.squashfs")
        self.write(f"sys/layers/base-{digest(TWO['base'])[:12]}.squashfs", b"X" * len(TWO["base"]))
        self.disk.block = {"system": "A", "damaged": "B"}
        self.write("system", "system=A\ntrial=\nleft=\ndamaged=B\n")
        self.write("home/stacks/begun", "kept\n")
        self.assertEqual(self.finding().code, "system-left")
        self.publish(12, carrying(TWO))
        self.assertEqual((self.bring(), self.brought), ((0, "next"), ["base", "node", "kernel", "initrd"]))
        self.assertEqual((self.disk.block["damaged"], self.disk.block["trial"], self.is_whole("B"), os.path.exists(self.place.begun)), ("", "B", True, False))

    def test_one_that_was_left_for_starts_that_were_cut_is_not_told_as_a_loss(self):
        self.system("B", TWO, "# stack 12\n")
        self.write("system", "system=A\ntrial=\nleft=\ndamaged=B\ncut=yes\n")
        found = self.finding()
        self.assertEqual(found.code, "system-cut")
        self.assertIn("Two starts with this machine's system B did not come to their end; this start is with the other one, A.", found.what)
        self.assertNotIn("disk", f"{found.what} {found.todo}")
        self.publish(12, b"wow-stack 1\n")
        self.lose("base")
        self.assertEqual((self.bring(), os.path.exists(self.place.begun)), ((0, "rotten"), False))
        found = self.finding()
        self.assertEqual(found.code, "system-rotten")
        self.assertIn("Starts with the other system do not come to their end.", found.what)

    def test_a_start_that_ends_well_has_nothing_looked_at_but_what_is_known_stays(self):
        self.write("stack", "source=image\n")
        for word, stays in (("once", False), ("whole", False), ("kept", True)):
            os.makedirs(f"{self.root}/home/stacks", exist_ok=True)
            self.write("home/stacks/begun", f"{word}\n")
            self.place.end_well()
            self.assertEqual(os.path.exists(self.place.begun), stays)

    def test_a_start_without_hashes_is_told_once_and_nothing_is_wrong(self):
        self.assertEqual(diagnose.system(facts(system=damage.said(self.now()), stack=told.read())), [])
        self.write("system", "system=A\ntrial=\nleft=\ndamaged=\nunhashed=its list names no hash tree\n")
        (found,) = diagnose.system(facts(system=damage.said(self.now()), stack=told.read()))
        self.assertEqual((found.state, found.code), (finding.OK, "system-unhashed"))
        self.assertIn("of the system A in this start: its list names no hash tree. It does", found.what)


if __name__ == "__main__":
    unittest.main()
