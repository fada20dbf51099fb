"""The two systems of a machine: what is one, and what wow-stack does where a stack carries another one."""
import contextlib
import hashlib
import os
import tempfile
import unittest
import zlib
from unittest import mock

from test_stack import EMPTY, Root, body, notice

from wow.doctor import diagnose, finding
from wow.lib import modes
from wow.lib.errors import WowError
from wow.stack import bring, fetch, kept, peers, replace, shortened, systems, term, text, told
from wow.stack.systems import Systems

KINDS = ("base", "node", "kernel", "initrd")
MATHS = b"m" * 10
STAYS_WITH_A = {"system": "A", "trial": "", "tries": ""}


def digest(data):
    return hashlib.sha256(data).hexdigest()


def sums_of_grub(booted):
    """What GRUB looks at a kernel and an initrd by."""
    return "".join(f"{zlib.crc32(data):08x}  {name}\n" for data, name in zip(booted, systems.BOOTED.values()))


def made(release, **same):
    """The four files of a release; some of them those of another."""
    return {kind: same.get(kind, f"{kind} of release {release}".encode()) for kind in KINDS}


ONE, TWO, THREE = made(1), made(2), made(3)
MODULE = f"module maths {len(MATHS)} {digest(MATHS)}\n"


def carrying(release, *lines):
    """The text of a stack that carries these four files."""
    return body(*lines, over="".join(f"{kind} {digest(release[kind])} {len(release[kind])}\n" for kind in KINDS))


def listed(release):
    return "".join(f"{kind} {kind} {kind}-{digest(release[kind])[:12]}.squashfs {len(release[kind])} {digest(release[kind])}\n" for kind in KINDS[:2])


class Cut(BaseException):
    """The power is gone: nothing runs after it."""


class Disk:
    """What replace does to the disk beside its files: GRUB's variables, and whether WOWSYS takes writes. Each call is a step, as each change of a name is."""

    def __init__(self, step):
        self.step, self.block, self.is_writable, self.calls = step, {"system": "A"}, False, []

    def environment(self, values):
        self.step()
        self.calls.append(tuple(values.items()))
        before = dict(self.block)
        self.block.update(values)
        return self.block != before

    def writable(self, is_writable):
        self.step()
        self.calls.append(is_writable)
        self.is_writable = is_writable

    def taken(self):
        """(which system the next start is with, whether by a trial, what was given up), as appliance/image/boot/grub.cfg has it; takes a try."""
        system = "B" if self.block["system"] == "B" else "A"
        trial, tries = self.block.get("trial"), self.block.get("tries")
        if trial != ("A" if system == "B" else "B"):
            return system, "", ""
        if tries in ("1", "2", "3"):
            self.block["tries"] = str(int(tries) - 1)
            return trial, self.block["tries"], ""
        return system, "", trial


class Case(Root, unittest.TestCase):
    """A machine whose image has release 1 and a module, as A, and nothing as B."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.sys, self.armed, self.settled = f"{self.root}/sys", f"{self.root}/system.armed", f"{self.root}/settled"
        for name in ("sys/stacks", "sys/layers", "sys/boot", "home"):
            os.makedirs(f"{self.root}/{name}")
        self.system("A", ONE, "# kind name file size sha256; bottom first\n", f"module tutorial tutorial-1.squashfs 8 {digest(b'tutorial')}\n")
        self.write("sys/layers/tutorial-1.squashfs", b"tutorial")
        self.place = kept.Place(f"{self.root}/home", f"{self.root}/image", f"{self.root}/stack", f"{self.root}/list")
        self.place.open()
        self.steps, self.stop_at, self.trouble = 0, None, Cut
        self.disk = Disk(self.step)
        for patch in (mock.patch.object(term, "clock", lambda: 100.0), mock.patch.object(term, "NOTICE", f"{self.root}/notice-4"),
                      mock.patch.object(told, "FILE", f"{self.root}/stack.json"), mock.patch.object(modes, "FILE", f"{self.root}/mode"),
                      mock.patch.object(kept, "STARTED", f"{self.root}/stack"), mock.patch.object(kept, "LIST", f"{self.root}/list"),
                      mock.patch.object(kept, "SETTLED", self.settled), mock.patch.object(bring, "ARMED", self.armed), mock.patch.object(os, "fsync")):
            patch.start()
            self.addCleanup(patch.stop)
        self.begin("A", is_back=True)

    def system(self, name, release, first, more=""):
        """Has a system stand in WOWSYS."""
        os.makedirs(f"{self.sys}/boot/{name}", exist_ok=True)
        for kind in KINDS[:2]:
            self.write(f"sys/layers/{kind}-{digest(release[kind])[:12]}.squashfs", release[kind])
        for kind, file in systems.BOOTED.items():
            self.write(f"sys/boot/{name}/{file}", release[kind])
        self.write(f"sys/boot/{name}/SHA256SUMS", "".join(f"{digest(release[kind])}  {file}\n" for kind, file in systems.BOOTED.items()))
        self.write(f"sys/boot/{name}/CRC32", sums_of_grub([release[kind] for kind in systems.BOOTED]))
        self.write(f"sys/stacks/{name}.conf", first + listed(release) + more)

    def begin(self, system, trial="", left="", is_back=True):
        """A start of the machine: what the initrd and wow-join leave. What stood in /run is gone, and WOWSYS is mounted read-only."""
        self.write("system", f"system={system}\ntrial={trial}\nleft={left}\n")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{self.root}/image")
        os.symlink(f"sys/stacks/{system}.conf", f"{self.root}/image")
        for path in (self.armed, self.settled):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        if is_back:
            self.write("settled", "")
        self.disk.is_writable = False
        list_ = kept.read(f"{self.root}/image")
        self.started("image", list_)
        next_ = kept.read(self.place.next)
        if next_ and next_.splitlines()[1:3] == list_.splitlines()[1:3]:
            self.started("next", next_, f"number={next_.split()[2]}\n")

    def start(self, is_back=True):
        """One start by GRUB's choice; the system that it was with."""
        taken = self.disk.taken()
        self.begin(*taken, is_back=is_back)
        return taken[0]

    def fetch(self, release, *modules):
        """Has wow-stack's files in home."""
        for data in (*release.values(), *modules):
            self.write(f"home/layers/{digest(data)}", data)

    def act(self, stack):
        found = Systems(self.sys, f"{self.root}/system")
        is_back = os.path.exists(self.settled)
        replace.note(found, self.disk, is_back)
        replace.act(self.place, found, stack, self.disk, is_back, self.armed)

    def now(self):
        return Systems(self.sys, f"{self.root}/system")

    def step(self):
        """One step is about to be done. What runs is whole, and what GRUB may start, at each of them."""
        self.look()
        self.steps += 1
        if self.stop_at is not None and self.steps >= self.stop_at:
            if self.trouble is not Cut:
                self.stop_at = None
                raise self.trouble
            raise Cut

    @contextlib.contextmanager
    def watched(self):
        """Each change of a name and each fsync is a step."""
        with contextlib.ExitStack() as stack:
            for name in ("rename", "unlink", "rmdir", "makedirs", "fsync"):
                stack.enter_context(mock.patch.object(os, name, self._before(getattr(os, name))))
            yield

    def _before(self, function):
        def called(*words, **more):
            self.step()
            return function(*words, **more)
        return called

    def is_whole(self, system):
        """Whether GRUB and the initrd find all that a system's lists name, as they name it."""
        rows = [line.split() for line in kept.read(f"{self.sys}/stacks/{system}.conf").splitlines() if not line.startswith("#")]
        sums = [line.split() for line in kept.read(f"{self.sys}/boot/{system}/SHA256SUMS").splitlines()]
        files = [(f"{self.sys}/layers/{row[2]}", row[4]) for row in rows] + [(f"{self.sys}/boot/{system}/{name}", found) for found, name in sums]
        if len(rows) < 2 or [name for _, name in sums] != ["vmlinuz", "initrd.img"]:
            return False
        if kept.read(f"{self.sys}/boot/{system}/CRC32") != sums_of_grub([self.data(f"{self.sys}/boot/{system}/{name}") for _, name in sums]):
            return False
        return all(os.path.exists(path) and digest(self.data(path)) == found for path, found in files)

    @staticmethod
    def data(path):
        with open(path, "rb") as file:
            return file.read()

    def look(self):
        """What holds at each moment."""
        running = self.now().running
        self.assertTrue(self.is_whole(running), f"{running} runs, and was written to")
        block = self.disk.block
        self.assertTrue(self.is_whole("B" if block["system"] == "B" else "A"), block)
        if block.get("trial") not in (None, "", block["system"]) and block.get("tries") in ("1", "2", "3"):
            self.assertTrue(self.is_whole(block["trial"]), block)
            self.assertFalse(self.disk.is_writable, "GRUB plays no journal")
            self.assertEqual(kept.read(self.place.next).splitlines()[1:3], kept.read(f"{self.sys}/stacks/{block['trial']}.conf").splitlines()[1:3])

    def release(self, system):
        """The four files of a system, as bytes."""
        found = self.now().files(system)
        names = {os.path.basename(path).partition("-")[0].replace("vmlinuz", "kernel").replace("initrd.img", "initrd"): self.data(path) for path in found.values()}
        return {kind: names.get(kind) for kind in KINDS}


class Two(Case):
    """Which systems there are."""

    def test_what_the_initrd_says_of_this_start(self):
        found = Systems(self.sys, f"{self.root}/none")
        self.assertEqual((found.running, found.other, found.is_trial, found.left), ("A", "B", False, ""), "a former initrd says nothing")
        self.begin("B", "0", is_back=False)
        found = self.now()
        self.assertEqual((found.running, found.other, found.is_trial, found.is_proven()), ("B", "A", True, False), "the last try is one")
        self.write("settled", "")
        self.assertEqual(found.is_proven(), True)
        self.begin("A", left="B")
        self.assertEqual((self.now().left, self.now().is_proven()), ("B", False))

    def test_a_system_s_files_are_its_layers_kernel_and_initrd(self):
        self.assertEqual(self.now().files("A"), {digest(ONE["base"]): f"{self.sys}/layers/base-{digest(ONE['base'])[:12]}.squashfs",
                                                 digest(ONE["node"]): f"{self.sys}/layers/node-{digest(ONE['node'])[:12]}.squashfs",
                                                 digest(ONE["kernel"]): f"{self.sys}/boot/A/vmlinuz", digest(ONE["initrd"]): f"{self.sys}/boot/A/initrd.img"})
        self.assertEqual((self.now().files("B"), self.now().number("A"), self.now().number("B")), ({}, "", ""))
        self.system("B", TWO, "# stack 12\n")
        os.unlink(f"{self.sys}/stacks/B.conf")
        self.assertEqual(self.now().files("B"), {}, "one that was being replaced is none")

    def test_a_list_of_files_that_rotted_names_none(self):
        self.write("sys/boot/A/SHA256SUMS", b"\xff\xfe")
        self.assertEqual(set(self.now().files("A")), {digest(ONE["base"]), digest(ONE["node"])})

    def test_which_of_the_two_a_stack_carries(self):
        self.system("B", TWO, "# stack 12\n")
        one, two = text.read(carrying(ONE, MODULE), 13), text.read(carrying(TWO), 12)
        found = self.now()
        self.assertEqual((found.is_running(one), found.is_running(two), found.is_there(one), found.is_there(two)), (True, False, False, True))
        self.assertFalse(found.is_there(text.read(carrying(TWO), 14)), "one that is published anew is another one")
        self.assertFalse(found.is_running(text.read(carrying(made(2, base=ONE["base"])), 1)))

    def test_one_is_given_up_by_its_number_and_its_files(self):
        self.system("B", TWO, "# stack 12\n")
        for left, number, release, is_given_up in (("B", 12, TWO, True), ("", 12, TWO, False), ("A", 12, TWO, False), ("B", 13, TWO, False), ("B", 12, THREE, False)):
            self.begin("A", left=left)
            self.assertEqual(self.now().is_given_up(text.read(carrying(release), number)), is_given_up)

    def test_what_is_wanting_is_what_neither_system_nor_home_has(self):
        stack = text.read(carrying(made(2, node=ONE["node"]), MODULE), 12)
        self.assertEqual([file.name for file in self.now().wanting(self.place, stack)], ["base", "kernel", "initrd", "maths"])
        self.write(f"home/layers/{digest(TWO['kernel'])}", TWO["kernel"])
        self.write(f"home/layers/{digest(TWO['initrd'])}", b"cut")
        self.assertEqual([file.name for file in self.now().wanting(self.place, stack)], ["base", "initrd", "maths"])
        self.assertEqual([file.name for file in self.now().wanting(self.place, text.read(carrying(ONE, MODULE), 12))], ["maths"])
        self.write(f"sys/layers/node-{digest(ONE['node'])[:12]}.squashfs", b"cut")
        self.assertEqual(self.now().wanting(self.place, stack)[1].name, "node")


class Fetching(Case):
    """A machine whose wow-stack brings what it is told to, and has wow-system do its part."""

    def setUp(self):
        super().setUp()
        self.brought, self.wrote = [], 0
        patch = mock.patch.object(peers, "layer", self.layer)
        patch.start()
        self.addCleanup(patch.stop)

    def layer(self, _, wanted, folder):
        self.brought.append(wanted.name)
        data = {digest(data): data for data in (MATHS, *ONE.values(), *TWO.values(), *THREE.values())}[wanted.digest]
        with open(f"{folder}/{wanted.digest}", "wb") as file:
            file.write(data)

    def publish(self, number, data):
        self.write("notice-3", notice(number, data))

    def replaced(self):
        """wow-system, as systemd starts it."""
        self.wrote += 1
        data = bring.read(f"{self.root}/notice-3")
        with contextlib.suppress(text.NoStack):
            found, is_back = self.now(), os.path.exists(self.settled)
            replace.note(found, self.disk, is_back)
            replace.act(self.place, found, text.notice(data), self.disk, is_back, self.armed)

    def bring(self):
        """The exit code of one look, and what is told then."""
        self.wrote = 0
        code = bring.once(self.place, lambda: None, f"{self.root}/notice-3", lambda _: None, self.now(), self.replaced)
        return code, told.read()["code"]


class Bringing(Fetching):
    """What wow-stack does, where a stack carries a system."""

    def test_a_system_is_fetched_written_armed_and_told(self):
        self.publish(12, carrying(TWO, MODULE))
        self.assertEqual(self.bring(), (0, "next"))
        self.assertEqual((self.brought, self.wrote, self.disk.block["trial"]), (["base", "node", "kernel", "initrd", "maths"], 1, "B"))
        self.assertEqual(os.listdir(self.place.layers), [digest(MATHS)], "what WOWSYS has needs no room in home")
        self.assertIn("tutorial, of this machine's image; with the next start: another system, and maths, by the pool's stack 12. `wow boot release`",
                      told.sentence(told.read()))
        self.assertEqual((self.bring(), len(self.brought)), ((0, "next"), 5), "a second look fetches nothing")
        self.assertEqual(self.start(), "B")
        self.assertEqual((self.bring(), self.wrote, self.disk.block["system"]), ((0, "taken"), 1, "B"))
        self.assertEqual(told.sentence(told.read()), "maths, by the pool's stack 12")

    def test_the_former_system_that_is_published_again_is_taken_and_nothing_is_fetched(self):
        self.publish(12, carrying(TWO))
        self.bring()
        self.start()
        self.bring()
        self.publish(13, carrying(ONE))
        self.assertEqual((self.bring(), len(self.brought), self.disk.block["trial"]), ((0, "next"), len(TWO), "A"))
        self.assertEqual((self.start(), self.bring(), self.disk.block["system"], self.is_whole("A")), ("A", (0, "taken"), "A", True))

    def test_one_without_modules_is_taken_too(self):
        self.publish(12, carrying(TWO))
        self.assertEqual(self.bring(), (0, "next"))
        self.assertIn("with the next start: another system, and no modules", told.sentence(told.read()))
        self.start()
        self.assertEqual(self.bring(), (0, "taken"))

    def test_where_the_system_runs_its_modules_are_taken_alone(self):
        self.publish(12, carrying(ONE, MODULE))
        self.assertEqual((self.bring(), self.brought, self.wrote), ((0, "next"), ["maths"], 0))
        self.assertNotIn("another system", told.sentence(told.read()))

    def test_a_trial_waits_and_is_noted_when_the_machine_is_back(self):
        self.publish(12, carrying(TWO))
        self.bring()
        self.start(is_back=False)
        self.publish(13, carrying(THREE))
        self.assertEqual((self.bring(), self.wrote, self.disk.block["tries"]), ((0, "trial"), 0, "2"))
        self.assertEqual(told.trouble(told.read()), ("", ""))
        self.write("settled", "")
        self.assertEqual((self.bring(), self.disk.block), ((0, "next"), {"system": "B", "trial": "A", "tries": "3"}))

    def test_a_good_trial_is_noted_though_what_is_published_by_then_cannot_be_had(self):
        for then in (carrying(THREE), body(MODULE), EMPTY, b"wow-stack 9\n"):
            self.disk.block = {"system": "A"}
            self.begin("A", is_back=True)
            self.publish(12, carrying(TWO))
            self.bring()
            self.start()
            self.publish(13, then)
            with mock.patch.object(peers, "layer", side_effect=WowError("cut", "Again", code="away")):
                self.bring()
            self.assertEqual(self.disk.block["system"], "B", then)
            os.unlink(f"{self.sys}/stacks/B.conf")

    def test_a_trial_that_gets_good_while_files_come_is_noted_before_the_next_one(self):
        self.publish(12, carrying(TWO))
        self.bring()
        self.start(is_back=False)
        self.publish(13, body(MODULE, over=f"base {digest(TWO['base'])}\nnode {digest(TWO['node'])}\n"))
        seen = []

        def come(way, wanted, folder):
            seen.append(self.disk.block["system"])
            if len(seen) < 3:
                # The CA is busy, and meanwhile the machine is back in its pool.
                self.write("settled", "")
                raise fetch.Busy(5)
            self.layer(way, wanted, folder)

        with mock.patch.object(peers, "layer", come):
            self.assertEqual(self.bring(), (0, "next"))
        self.assertEqual((seen, self.wrote, self.brought[-1]), (["A", "B", "B"], 1, "maths"), "once in a look")

    def settle(self):
        """wow-join says that the machine is back."""
        with mock.patch.object(kept, "Place", lambda: self.place), mock.patch.object(kept, "SAID", f"{self.root}/system"):
            kept.settle(f"{self.root}/stack.wanted", self.settled)

    def test_modules_of_a_trial_are_good_only_when_grub_stays_with_it(self):
        former = kept.read(f"{self.root}/image").partition("\n")[2].replace("module tutorial", "module maths")
        for is_cut in (True, False):
            self.write("home/stacks/good", former)
            self.publish(12 + is_cut, carrying(TWO, MODULE))
            self.bring()
            self.start(is_back=False)
            self.settle()
            self.assertEqual(kept.read(self.place.good), former, "the system of before falls back to them")
            if is_cut:
                self.disk.block = {"system": "A"}
                self.begin("A", is_back=True)
        self.assertEqual((self.bring(), self.disk.block["system"]), ((0, "taken"), "B"))
        self.assertEqual(kept.read(self.place.good), kept.read(self.place.next))
        self.publish(14, carrying(TWO))
        self.bring()
        self.start()
        self.settle()
        self.assertEqual(kept.read(self.place.good), kept.read(self.place.next), "no trial, so at once")

    def test_a_good_trial_is_noted_though_no_stack_is_known(self):
        self.publish(12, carrying(TWO))
        self.bring()
        self.start()
        os.unlink(f"{self.root}/notice-3")
        self.assertEqual(bring.once(self.place, lambda: None, f"{self.root}/notice-3", None, self.now(), self.stayed), 0)
        self.assertEqual(self.disk.block, {"system": "B", "trial": "", "tries": ""})

    def stayed(self):
        """wow-system, where nothing is published."""
        replace.note(self.now(), self.disk, os.path.exists(self.settled))

    def test_one_that_was_given_up_is_told_and_another_one_is_tried(self):
        self.publish(12, carrying(TWO))
        self.bring()
        while self.start(is_back=False) == "B":
            pass
        self.started("image", more="left=12\nwhy=it was made over another base or node than this image has\n")
        self.assertEqual((self.bring(), self.wrote), ((0, "trial"), 0))
        self.write("settled", "")
        self.assertEqual((self.bring(), self.disk.block["tries"]), ((0, "next"), "1"))
        self.assertEqual([self.start(is_back=False) for _ in range(2)], ["B", "A"])
        self.started("image", more="left=12\nwhy=it was made over another base or node than this image has\n")
        self.assertEqual((self.bring(), self.wrote), ((0, "given-up"), 0))
        (found,) = diagnose.stack({"stack": told.read()})
        self.assertEqual((found.state, found.code), (finding.WRONG, "modules-given-up"))
        self.assertIn("The system of the pool's stack 12 was given up: after 4 starts", found.what)
        self.publish(13, carrying(TWO))
        self.write("settled", "")
        self.assertEqual((self.bring(), told.trouble(told.read()), self.disk.block["tries"]), ((0, "next"), ("", ""), "3"))

    def test_one_that_is_taken_back_while_it_is_armed_is_disarmed(self):
        self.publish(12, carrying(TWO))
        self.bring()
        self.publish(13, EMPTY)
        self.assertEqual((self.bring(), self.wrote, self.disk.block, os.path.exists(self.place.next)), ((0, "image"), 1, STAYS_WITH_A, False))
        self.bring()
        self.assertEqual(self.wrote, 0)

    def test_an_ephemeral_start_fetches_nothing(self):
        self.write("mode", "ephemeral\n")
        self.publish(12, carrying(TWO))
        self.assertEqual((self.bring(), self.brought, self.wrote), ((0, "ephemeral"), [], 0))

    def test_what_wow_system_cannot_do_is_told_and_tried_again(self):
        self.publish(12, carrying(TWO))
        with mock.patch.object(self, "replaced", side_effect=WowError("Job for wow-system.service failed", "It is tried again", "systemctl")):
            self.assertEqual(self.bring(), (1, "trouble"))
        self.assertIn("Job for wow-system.service failed", told.trouble(told.read())[0])
        self.assertEqual(self.bring(), (0, "next"))

    def test_wow_system_is_started_and_waited_for_and_its_trouble_is_told(self):
        with mock.patch.object(bring, "TROUBLE", f"{self.root}/trouble"), mock.patch.object(replace.bring, "TROUBLE", f"{self.root}/trouble"), \
                mock.patch.object(bring.system, "run", return_value=(0, "")) as called:
            bring.replace()
            self.assertEqual((called.call_args.args[0], called.call_args.kwargs["timeout"]), (["systemctl", "start", "wow-system.service"], 900.0))
            called.return_value = (1, "Job for wow-system.service failed")
            with self.assertRaisesRegex(WowError, "Job for wow-system.service failed"):
                bring.replace()
            with mock.patch("builtins.print"):
                replace.tell(WowError("the disk is full", "Take another"))
            with self.assertRaises(WowError) as raised:
                bring.replace()
            self.assertEqual((raised.exception.what, raised.exception.todo), ("the disk is full", "Take another"))

    def test_where_grub_counts_nothing_it_is_told_and_not_tried_for_ever(self):
        self.publish(12, carrying(TWO))
        self.bring()
        # GRUB started A, for it could not write its block.
        self.begin("A", is_back=True)
        self.assertEqual(self.bring(), (1, "trouble"))
        self.assertIn("did not count that start", told.trouble(told.read())[0])

    def test_nothing_is_written_before_the_machine_is_back_in_its_pool(self):
        self.begin("A", is_back=False)
        self.publish(12, carrying(TWO))
        self.assertEqual((self.bring(), self.brought, self.wrote), ((0, "trial"), [], 0))

    def test_the_smallest_delta_of_what_is_here_is_taken(self):
        large, small = (f"delta {digest(TWO['base'])} {digest(data)} {size} {digest(b'delta' + data)}\n" for data, size in ((ONE["base"], 9), (ONE["node"], 8)))
        gone = f"delta {digest(TWO['base'])} {digest(b'gone')} 1 {digest(b'third')}\n"
        stack = text.read(carrying(TWO, MODULE, large, small, gone), 12)
        (base, node, *_), found = stack.system, self.now()
        change, former = bring._change(self.place, stack, base, found)
        self.assertEqual((change.size, change.digest, former), (8, digest(b"delta" + ONE["node"]), found.files("A")[digest(ONE["node"])]))
        self.assertIsNone(bring._change(self.place, stack, node, found))
        self.write(f"home/layers/{digest(TWO['base'])}.part", "begun")
        self.assertIsNone(bring._change(self.place, stack, base, found), "the whole is begun")
        with mock.patch.object(shortened, "by_delta", side_effect=lambda _, wanted, change, former, folder: self.layer(None, wanted, folder) or wanted.name != "base") as by:
            os.unlink(f"{self.root}/home/layers/{digest(TWO['base'])}.part")
            self.publish(12, carrying(TWO, MODULE, large))
            self.assertEqual((self.bring(), by.call_count), ((0, "next"), 1))


if __name__ == "__main__":
    unittest.main()
