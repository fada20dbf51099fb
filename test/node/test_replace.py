"""How another system is written beside the one that runs, and what GRUB is told: what wow-system does. Power goes at each step of it once."""
import contextlib
import os
import unittest
from unittest import mock

from test_stack import EMPTY, body, notice
from test_systems import KINDS, MATHS, MODULE, ONE, STAYS_WITH_A, THREE, TWO, Case, Cut, carrying, digest, listed, made

from wow.lib.errors import WowError
from wow.stack import bring, environment, kept, replace, text


class Replacing(Case):
    """What wow-system does."""

    def good(self, number, release):
        """The machine runs this release, by the stack of that number, and GRUB stays with it."""
        self.fetch(release)
        self.act(text.read(carrying(release), number))
        self.start()
        self.act(text.read(carrying(release), number))

    def test_the_first_one_becomes_b_and_is_tried_three_times(self):
        stack = text.read(carrying(TWO, MODULE), 12)
        self.fetch(TWO, MATHS)
        with self.watched():
            self.act(stack)
        self.assertEqual(self.disk.calls, [tuple(STAYS_WITH_A.items()), True, False, (("system", "A"), ("trial", "B"), ("tries", "3"))])
        self.assertEqual((self.release("A"), self.release("B")), (ONE, TWO))
        self.assertEqual(kept.read(f"{self.sys}/stacks/B.conf"), f"# stack 12\n{listed(TWO)}")
        self.assertEqual(kept.read(self.place.next), f"# stack 12\n{listed(TWO)}module maths {digest(MATHS)} {len(MATHS)} {digest(MATHS)}\n")
        self.assertEqual(sorted(os.listdir(f"{self.sys}/boot")), ["A", "B"])
        self.assertEqual(kept.read(self.armed), "12\n")
        self.assertEqual([self.start(is_back=False) for _ in range(5)], ["B", "B", "B", "A", "A"])
        self.assertTrue(self.now().is_given_up(stack))

    def test_one_that_brings_the_machine_back_is_stayed_with(self):
        stack = text.read(carrying(TWO), 12)
        self.fetch(TWO)
        self.act(stack)
        self.start(is_back=False)
        self.disk.calls.clear()
        self.act(stack)
        self.assertEqual(self.disk.calls, [], "it is not back yet")
        self.write("settled", "")
        self.act(stack)
        self.assertEqual(self.disk.block, {"system": "B", "trial": "", "tries": ""})
        self.assertEqual([self.start() for _ in range(5)], ["B"] * 5)

    def test_the_next_one_replaces_a_and_the_image_s_modules_go(self):
        self.good(12, TWO)
        self.fetch(THREE)
        with self.watched():
            self.act(text.read(carrying(THREE), 13))
        self.assertEqual((self.release("A"), self.release("B"), self.disk.block), (THREE, TWO, {"system": "B", "trial": "A", "tries": "3"}))
        self.assertEqual(sorted(os.listdir(f"{self.sys}/layers")), sorted(f"{kind}-{digest(one[kind])[:12]}.squashfs" for one in (TWO, THREE) for kind in KINDS[:2]))
        self.assertEqual((self.start(), self.now().number("A"), self.now().number("B")), ("A", "13", "12"))

    def test_a_layer_that_both_have_is_there_once_and_is_not_read(self):
        shared = made(2, base=ONE["base"])
        self.fetch(shared)
        os.unlink(f"{self.root}/home/layers/{digest(ONE['base'])}")
        with mock.patch.object(replace, "copy", side_effect=replace.copy) as copied:
            self.act(text.read(carrying(shared), 12))
        self.assertEqual([call.args[2].kind for call in copied.call_args_list], ["node", "kernel", "initrd"])
        self.assertEqual((self.release("B"), self.is_whole("A"), len(os.listdir(f"{self.sys}/layers"))), (shared, True, 4))
        self.good(12, shared)
        # The other way round: what B, which runs, shares with A stays when A is replaced.
        again = made(3, base=ONE["base"], kernel=shared["kernel"])
        self.fetch(again)
        self.act(text.read(carrying(again), 13))
        self.assertEqual((self.release("A"), self.is_whole("B")), (again, True))

    def test_what_the_other_one_had_is_taken_from_there(self):
        self.good(12, TWO)
        fourth = made(4, kernel=ONE["kernel"], base=ONE["base"])
        for name in os.listdir(self.place.layers):
            os.unlink(f"{self.place.layers}/{name}")
        self.write(f"home/layers/{digest(fourth['node'])}", fourth["node"])
        self.write(f"home/layers/{digest(fourth['initrd'])}", fourth["initrd"])
        self.act(text.read(carrying(fourth), 13))
        self.assertEqual((self.release("A"), self.disk.block["trial"]), (fourth, "A"))

    def test_a_file_of_home_that_is_damaged_is_removed_and_fetched_anew(self):
        stack = text.read(carrying(TWO), 12)
        for kind in KINDS:
            self.fetch(TWO)
            path = f"{self.place.layers}/{digest(TWO[kind])}"
            self.write(f"home/layers/{digest(TWO[kind])}", b"x" * len(TWO[kind]))
            with self.assertRaises(WowError) as caught:
                self.act(stack)
            self.assertIn(f"the pool's {kind} is damaged", caught.exception.what)
            self.assertEqual((os.path.exists(path), self.disk.is_writable, self.disk.block.get("trial")), (False, False, ""))
            self.assertEqual([file.kind for file in self.now().wanting(self.place, stack)], [kind])
            self.look()
        self.fetch(TWO)
        self.act(stack)
        self.assertEqual((self.release("B"), self.disk.block["trial"]), (TWO, "B"))

    def test_a_file_of_the_other_system_that_is_damaged_is_fetched_anew(self):
        self.good(12, TWO)
        fourth = made(4, kernel=ONE["kernel"], base=ONE["base"])
        stack = text.read(carrying(fourth), 13)
        for name in (f"layers/base-{digest(ONE['base'])[:12]}.squashfs", "boot/A/vmlinuz"):
            self.system("A", ONE, "# stack 11\n")
            self.fetch(fourth)
            kind = "base" if "base" in name else "kernel"
            os.unlink(f"{self.place.layers}/{digest(fourth[kind])}")
            self.write(f"sys/{name}", b"x" * len(fourth[kind]))
            # A layer is read when it is to stay; a kernel that is damaged is seen to be missing before.
            with self.assertRaises(WowError) if kind == "base" else contextlib.nullcontext():
                self.act(stack)
            self.assertIn(kind, [file.kind for file in self.now().wanting(self.place, stack)], "it is not taken from there once more")
            self.assertNotIn("A", self.disk.block.values())
        self.fetch(fourth)
        self.act(stack)
        self.assertEqual((self.release("A"), self.disk.block["trial"]), (fourth, "A"))

    def test_a_file_of_the_other_system_that_the_disk_cannot_read_is_removed(self):
        path = f"{self.sys}/layers/unreadable"
        os.symlink("/proc/self/mem", path)  # reading that fails as a bad block does
        with self.assertRaises(WowError) as caught:
            replace.look(path, text.Layer("base", "base", 1, "0" * 64))
        self.assertEqual((os.path.lexists(path), "is damaged" in caught.exception.what), (False, True))

    def test_a_kernel_of_the_running_system_that_is_damaged_is_fetched(self):
        fresh = made(2, kernel=ONE["kernel"])
        stack = text.read(carrying(fresh), 12)
        self.fetch(fresh)
        os.unlink(f"{self.place.layers}/{digest(ONE['kernel'])}")
        self.assertEqual(self.now().wanting(self.place, stack), [])
        with mock.patch.object(replace.hashlib, "file_digest", side_effect=OSError(5, "Input/output error")):
            self.assertEqual([file.kind for file in self.now().wanting(self.place, stack)], ["kernel"], "what cannot be read is not there")
        self.write("sys/boot/A/vmlinuz", b"x" * len(ONE["kernel"]))
        self.assertEqual([file.kind for file in self.now().wanting(self.place, stack)], ["kernel"])
        self.fetch(fresh)
        with mock.patch.object(self, "look"):
            self.act(stack)
        self.assertEqual((self.is_whole("B"), self.disk.block["trial"]), (True, "B"))

    def test_a_file_that_rotted_where_it_was_written_is_written_once_more(self):
        stack = text.read(carrying(TWO), 12)
        self.fetch(TWO)
        self.act(stack)
        self.disk.block.update(STAYS_WITH_A)
        self.write("sys/boot/B/initrd.img", b"x" * len(TWO["initrd"]))
        os.unlink(f"{self.place.layers}/{digest(TWO['initrd'])}")
        self.assertEqual([file.kind for file in self.now().wanting(self.place, stack)], ["initrd"])
        self.fetch(TWO)
        self.act(stack)
        self.assertEqual((self.is_whole("B"), self.disk.block["trial"]), (True, "B"))

    def test_no_room_is_told_and_what_stays_needs_none(self):
        size = sum(len(data) for data in TWO.values())
        self.fetch(TWO)
        for free, release in ((size + replace.ROOM - 1, TWO), (size + replace.ROOM, TWO), (size + replace.ROOM - len(ONE["base"]), made(2, base=ONE["base"]))):
            with mock.patch.object(replace.os, "statvfs", return_value=mock.Mock(f_bavail=free, f_frsize=1)):
                if free < size + replace.ROOM and release is TWO:
                    with self.assertRaises(WowError) as caught:
                        self.act(text.read(carrying(release), 12))
                    self.assertEqual((caught.exception.code, self.disk.is_writable, self.disk.block.get("trial")), ("no-room", False, ""))
                else:
                    self.act(text.read(carrying(release), 13))
                    self.assertEqual(self.release("B"), release)

    def test_what_is_not_all_there_is_not_begun(self):
        self.fetch(TWO)
        os.unlink(f"{self.place.layers}/{digest(TWO['initrd'])}")
        self.act(text.read(carrying(TWO), 12))
        self.fetch(TWO)
        self.act(text.read(carrying(TWO, MODULE), 12))
        self.assertEqual((self.disk.calls, os.listdir(f"{self.sys}/stacks"), os.path.exists(self.armed)), ([], ["A.conf"], False))

    def test_the_running_one_and_one_that_carries_none_have_nothing_written(self):
        for stack in (None, text.read(EMPTY, 12), text.read(body(MODULE), 12), text.read(carrying(ONE), 12)):
            self.act(stack)
        self.assertEqual(self.disk.calls, [])

    def test_a_trial_that_is_not_over_writes_nothing(self):
        self.fetch(TWO)
        self.act(text.read(carrying(TWO), 12))
        self.start(is_back=False)
        self.fetch(THREE)
        self.disk.calls.clear()
        for stack in (text.read(carrying(THREE), 13), text.read(carrying(ONE), 13), text.read(EMPTY, 13)):
            self.act(stack)
        self.assertEqual((self.disk.calls, self.release("A")), ([], ONE))

    def test_one_that_was_given_up_has_one_more_start_when_the_former_is_back_in_the_pool(self):
        self.fetch(TWO, MATHS)
        stack = text.read(carrying(TWO, MODULE), 12)
        self.act(stack)
        while self.start(is_back=False) == "B":
            pass
        self.act(stack)
        self.assertEqual(self.disk.block["tries"], "0", "the network may be away still")
        self.write("settled", "")
        self.write("home/stacks/tries", "x 3\n")
        for _ in range(2):
            self.act(stack)
            self.assertEqual((self.disk.block, self.now().is_over(self.place, stack, self.armed)), ({"system": "A", "trial": "B", "tries": "1"}, False))
            self.assertFalse(os.path.exists(self.place.tries), "its modules are taken, too")
        self.assertEqual([self.start(is_back=False) for _ in range(2)], ["B", "A"])
        self.write("settled", "")
        self.act(stack)
        self.assertEqual((self.disk.block["tries"], self.now().is_over(self.place, stack, self.armed)), ("0", True))
        again = text.read(carrying(TWO, MODULE), 13)
        for _ in range(2):
            self.act(again)
            self.assertEqual((self.disk.block["tries"], self.now().is_over(self.place, again, self.armed)), ("3", False))

    def test_one_that_is_back_at_its_last_start_is_stayed_with(self):
        self.fetch(TWO)
        self.act(text.read(carrying(TWO), 12))
        while self.start(is_back=False) == "B":
            pass
        self.write("settled", "")
        self.act(text.read(carrying(TWO), 12))
        self.assertEqual(self.start(), "B")
        self.act(text.read(carrying(TWO), 12))
        self.assertEqual([self.start() for _ in range(3)], ["B"] * 3)

    def test_one_that_was_given_up_is_left_until_it_is_published_anew(self):
        self.fetch(TWO)
        self.act(text.read(carrying(TWO), 12))
        while self.start(is_back=False) == "B":
            pass
        self.write("settled", "")
        self.write("home/stacks/last", "12\n")
        self.disk.calls.clear()
        self.act(text.read(carrying(TWO), 12))
        self.assertEqual(self.disk.calls, [])
        for name in os.listdir(self.place.layers):
            os.unlink(f"{self.place.layers}/{name}")
        with self.watched():
            self.act(text.read(carrying(TWO), 13))
        self.assertEqual((self.release("B"), self.disk.block["tries"], self.now().number("B")), (TWO, "3", "13"))
        self.assertEqual(self.start(), "B")

    def test_one_that_is_taken_back_while_it_is_armed_is_not_tried(self):
        for number, then in ((12, text.read(EMPTY, 13)), (14, None), (15, text.read(body(MODULE), 16)), (17, text.read(carrying(ONE), 18))):
            self.fetch(TWO)
            self.act(text.read(carrying(TWO), number))
            self.assertEqual(self.disk.block["trial"], "B")
            self.act(then)
            self.assertEqual((self.disk.block, os.path.exists(self.armed)), (STAYS_WITH_A, False))
            self.assertEqual(self.start(), "A")

    def test_a_machine_that_forgets_its_pool_while_a_trial_is_not_over_starts_with_the_former(self):
        for is_back, then in ((False, "A"), (True, "B")):
            self.disk.block = {"system": "A"}
            self.begin("A")
            self.fetch(TWO)
            self.act(text.read(carrying(TWO), 12))
            self.start(is_back=is_back)
            self.act(None)
            self.assertEqual([self.start(), self.now().left], [then, ""])

    def test_where_grub_s_block_was_lost_it_goes_back_to_what_runs(self):
        self.good(12, TWO)
        self.start()
        self.fetch(THREE)
        self.act(text.read(carrying(THREE), 13))
        # Without a word of the block's GRUB takes A for the good one.
        self.disk.block = {"system": ""}
        self.act(text.read(carrying(THREE), 13))
        self.assertEqual([self.start(is_back=False) for _ in range(4)], ["A", "A", "A", "B"])

    def test_one_that_is_replaced_while_it_is_armed_is_not_tried_half(self):
        self.fetch(TWO)
        self.act(text.read(carrying(TWO), 12))
        self.fetch(THREE)
        with self.watched():
            self.act(text.read(carrying(THREE), 13))
        self.assertEqual((self.release("B"), self.disk.block), (THREE, {"system": "A", "trial": "B", "tries": "3"}))

    def test_what_a_former_run_left_is_on_the_disk_before_grub_is_told(self):
        self.fetch(TWO)
        self.act(text.read(carrying(TWO), 12))
        self.disk.block.update(STAYS_WITH_A)
        self.disk.is_writable = True
        self.act(text.read(carrying(TWO), 12))
        self.assertEqual((self.disk.is_writable, self.disk.block["trial"]), (False, "B"))

    def test_power_that_goes_at_any_step_leaves_what_ran_and_the_next_start_ends_it(self):
        self.each_stop(Cut)

    def test_trouble_at_any_step_leaves_what_runs_and_the_next_run_ends_it(self):
        self.each_stop(OSError(5, "Input/output error"))

    def each_stop(self, trouble):
        """Two systems are taken, one after the other, with a stop at each step: A to B, then B to A."""
        stop = 0
        while True:
            stop += 1
            self.doCleanups()
            self.setUp()
            self.trouble, self.stop_at = trouble, stop
            ended = self.taken_with_stops()
            if not ended:
                break
        self.assertGreater(stop, 40, "the steps are not seen")

    def taken_with_stops(self):
        """Whether it was stopped."""
        was_stopped = False
        with self.watched():
            for number, release, to in ((12, TWO, "B"), (13, THREE, "A")):
                stack = text.read(carrying(release, MODULE), number)
                runs = 0
                while not (self.now().running == to and self.disk.block == {"system": to, "trial": "", "tries": ""}):
                    runs += 1
                    self.assertLess(runs, 6, f"it does not end: {self.disk.block}")
                    stop, self.stop_at = self.stop_at, None
                    # wow-stack's part: what is not there comes anew.
                    if not self.now().is_running(stack):
                        for file in self.now().wanting(self.place, stack):
                            data = MATHS if file.kind == "module" else release[file.kind]
                            self.write(f"home/layers/{file.digest}", data)
                    self.stop_at = stop
                    try:
                        self.act(stack)
                    except Cut:
                        was_stopped, self.stop_at = True, None
                        self.look()
                        self.start()
                        continue
                    except OSError:
                        was_stopped = True
                        self.look()
                        self.assertFalse(self.disk.is_writable and self.disk.block.get("trial"))
                        continue
                    self.look()
                    if not self.now().is_running(stack):
                        stop, self.stop_at = self.stop_at, None
                        self.assertEqual(self.start(), to)
                        self.stop_at = stop
                self.assertEqual((self.release(to), self.now().number(to)), (release, str(number)))
        return was_stopped

    def test_the_program_says_what_keeps_it_and_a_good_trial_is_noted_whatever_is_published(self):
        done = []
        self.system("B", TWO, "# stack 12\n")
        self.write("notice-3", notice(12, b"wow-stack 9\n"))
        self.begin("B", "1")
        found = self.now()
        with mock.patch.object(bring, "NOTICE", f"{self.root}/notice-3"), mock.patch.object(bring, "TROUBLE", f"{self.root}/trouble"), \
                mock.patch.object(replace, "Systems", lambda: found), \
                mock.patch.object(replace, "Disk", lambda root: self.disk), mock.patch.object(kept, "Place", lambda: self.place), \
                mock.patch("builtins.print", lambda words, flush: done.append(str(words))):
            self.assertEqual(replace.main(), 0)
            self.assertEqual(self.disk.block["system"], "B")
            self.disk.environment = mock.Mock(side_effect=OSError(30, "Read-only file system"))
            self.assertEqual(replace.main(), 1)
            self.disk.environment = mock.Mock(side_effect=WowError("no such file", "Take a fresh image"))
            self.assertEqual(replace.main(), 1)
        self.assertEqual(kept.read(f"{self.root}/trouble"), "no such file\nTake a fresh image\n")
        self.assertEqual(done, [f"the other system cannot be written: Read-only file system. {environment.REMEDY}", "no such file. Take a fresh image"])


if __name__ == "__main__":
    unittest.main()
