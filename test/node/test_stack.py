"""The modules that the pool publishes: what the machine does with them, and what it tells."""
import hashlib
import os
import tempfile
import unittest
from unittest import mock

import samples
from wow.acts import reset
from wow.condor import pace
from wow.doctor import diagnose, finding
from wow.lib import base, modes
from wow.lib.errors import WowError
from wow.stack import bring, fetch, kept, peers, term, text, told
from wow.verbs import status

BASE, NODE = "ba" * 32, "0d" * 32
OWN = f"base base base-1.squashfs 9 {BASE}\nnode node node-1.squashfs 9 {NODE}\n"
IMAGE = f"# kind name file size sha256; bottom first\n{OWN}module tutorial t.squashfs 9 {'77' * 32}\n"
BYTES = {"maths": b"m" * 10, "physics": b"p" * 20, "glue": b"g" * 5}


def line(name, size=None, digest=None):
    kind = "glue" if name == "glue" else "module"
    return f"{kind} {name} {size or len(BYTES[name])} {digest or hashlib.sha256(BYTES[name]).hexdigest()}\n"


def body(*lines, over=f"base {BASE}\nnode {NODE}\n"):
    return ("wow-stack 1\n" + over + "".join(lines)).encode()


def notice(number, data, kind=3, signature=b"s" * 70):
    return b"WOWN" + bytes((kind,)) + number.to_bytes(8, "big") + bytes((len(signature),)) + signature + data


WHOLE = body(line("maths"), line("physics"), line("glue"))
EMPTY = b"wow-stack 1\n"
SYSTEM = (("base", BASE, 121), ("node", NODE, 15), ("kernel", "5e" * 32, 9), ("initrd", "17" * 32, 4))


def system(*files):
    """The lines of a system's files, each (name, digest, size)."""
    return "".join(" ".join(map(str, file)) + "\n" for file in files or SYSTEM)


FORMER = "f1" * 32


def delta(file, from_=FORMER, size=3, digest="d1" * 32):
    return f"delta {file} {from_} {size} {digest}\n"


class Root:
    """The files of a machine, in the folder `root`."""

    def write(self, name, data):
        with open(f"{self.root}/{name}", "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())

    def started(self, source, list_text=IMAGE, more=""):
        self.write("stack", f"source={source}\n{more}")
        self.write("list", list_text)


class Prepared(Root, unittest.TestCase):
    """A machine on which wow-stack looks, with a way to the CA that brings what it is told to. second: what its clock says."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        os.mkdir(f"{self.root}/home")
        self.place = kept.Place(f"{self.root}/home", f"{self.root}/A.conf", f"{self.root}/stack", f"{self.root}/list")
        self.write("A.conf", IMAGE)
        self.started("image")
        self.brought, self.slept, self.trouble, self.second = [], [], [], 100.0
        for patch in (mock.patch.object(told, "FILE", f"{self.root}/stack.json"), mock.patch.object(modes, "FILE", f"{self.root}/mode"),
                      mock.patch.object(kept, "STARTED", f"{self.root}/stack"), mock.patch.object(kept, "LIST", f"{self.root}/list"), mock.patch.object(peers, "layer", self.layer),
                      mock.patch.object(term, "NOTICE", f"{self.root}/notice-4"), mock.patch.object(term, "clock", lambda: self.second)):
            patch.start()
            self.addCleanup(patch.stop)

    def layer(self, _, wanted, folder):
        """What stands for the CA."""
        if self.trouble:
            raise self.trouble.pop(0)
        self.brought.append(wanted.name)
        with open(f"{folder}/{wanted.digest}", "wb") as file:
            file.write(BYTES[wanted.name])

    def publish(self, number, data=WHOLE):
        self.write("notice-3", notice(number, data))

    def look(self):
        """The exit code of one look."""
        return bring.once(self.place, lambda: None, f"{self.root}/notice-3", self.slept.append)

    def listed(self, name="next"):
        return kept.modules(kept.read(f"{self.root}/home/stacks/{name}"))

    def layers(self):
        return sorted(os.listdir(self.place.layers))

    def said(self):
        return told.read()


class Machine(Prepared):
    """What wow-stack does."""

    def test_what_is_for_another_architecture_is_not_fetched_and_the_machine_stays_as_it_is(self):
        self.publish(12)
        self.assertEqual((self.look(), self.listed()), (0, ["maths", "physics"]))
        self.brought.clear()
        there = self.layers()
        for number, data, whose in ((13, body(line("maths")), "amd64"), (14, body(line("maths"), over=system()), "amd64"),
                                    (15, EMPTY + b"architecture riscv64\n" + body(line("maths"), over=system())[len(EMPTY):], "riscv64")):
            self.publish(number, data)
            with mock.patch.object(os, "uname", return_value=mock.Mock(machine="aarch64")):
                self.assertEqual(self.look(), 0)
            self.assertEqual((self.brought, self.listed(), self.layers()), ([], ["maths", "physics"], there), "what it took before stays")
            what, todo = told.trouble(self.said())
            self.assertEqual((self.said()["code"], what),
                             ("other-architecture", f"the pool's stack {number} is for {whose}, and has nothing for this machine, which is arm64 and stays as it is"))
            self.assertIn("wow image stack --beside", todo)
        self.publish(16, body(line("maths"), "architecture arm64\n", f"base {BASE}\nnode {NODE}\n", line("physics")))
        with mock.patch.object(os, "uname", return_value=mock.Mock(machine="aarch64")):
            self.look()
        self.assertEqual((self.said()["code"], self.listed()), ("next", ["physics"]), "its own part it takes")
        self.look()
        self.assertEqual(self.listed(), ["maths"])

    def test_modules_that_pool_conf_leaves_out_are_told(self):
        self.write("list", f"{OWN}module maths x 1 aa\nmodule physics x 1 bb\nglue glue x 1 cc\n")
        self.write("chosen", "modules=physics\nabsent=\nstacked=physics\n")
        with mock.patch.object(base, "CHOSEN", f"{self.root}/chosen"):
            self.assertEqual(told.sentence(self.said()), "physics (pool.conf leaves out maths), of this machine's image")
            self.write("stack", "source=next\nnumber=12\n")
            self.assertEqual(told.sentence(self.said()), "physics (pool.conf leaves out maths), by the pool's stack 12")
        # All of them: an image's own need no row.
        self.write("stack", "source=image\n")
        self.assertEqual(told.sentence(self.said()), "")

    def test_a_published_stack_is_fetched_and_left_for_the_next_start(self):
        self.publish(12)
        self.assertEqual(self.look(), 0)
        self.assertEqual((self.brought, self.listed()), (["maths", "physics", "glue"], ["maths", "physics"]))
        with open(self.place.next, encoding="ascii") as file:
            self.assertTrue(file.read().startswith(f"# stack 12\n{OWN}module maths {hashlib.sha256(BYTES['maths']).hexdigest()} 10 "))
        self.assertEqual([os.stat(path).st_mode & 0o777 for path in (self.place.layers, os.path.dirname(self.place.next), self.place.next)], [0o700, 0o700, 0o600])
        self.assertLessEqual(max(self.slept), bring.SPREAD)
        self.assertIn("maths, physics, by the pool's stack 12. `wow boot release` starts this machine again at once", told.sentence(self.said()))
        self.assertEqual((self.look(), len(self.brought), len(self.slept)), (0, 3, 1), "a second look fetches nothing and waits for nothing")

    def test_when_it_is_started_with_it_says_so_and_what_nobody_needs_is_removed(self):
        self.publish(12)
        self.look()
        text_ = kept.read(self.place.next)
        self.started("next", text_, "number=12\n")
        self.look()
        self.assertEqual(told.sentence(self.said()), "maths, physics, by the pool's stack 12")
        self.assertTrue(self.place.find_good())
        self.assertFalse(self.place.find_good())
        self.publish(13, body(line("physics")))
        self.look()
        self.assertEqual((self.listed(), self.listed("good"), len(self.layers())), (["physics"], ["maths", "physics"], 3), "this start and the good stack need all")
        self.started("next", kept.read(self.place.next), "number=13\n")
        self.place.find_good()
        self.look()
        self.assertEqual((self.listed("good"), self.layers()), (["physics"], [hashlib.sha256(BYTES["physics"]).hexdigest()]))

    def test_a_start_with_the_image_s_modules_finds_nothing_good(self):
        self.publish(12)
        self.look()
        self.assertFalse(self.place.find_good())
        self.started("good", kept.read(self.place.next), "number=12\n")
        self.assertFalse(self.place.find_good())
        self.assertFalse(os.path.exists(self.place.good))

    def test_what_was_started_is_found_good_though_another_is_next_by_now(self):
        self.publish(12)
        self.look()
        self.started("next", kept.read(self.place.next), "number=12\n")
        self.publish(13, body(line("physics")))
        self.look()
        self.place.find_good()
        self.assertEqual((self.listed(), self.listed("good")), (["physics"], ["maths", "physics"]))

    def test_the_empty_stack_takes_the_published_one_off(self):
        self.publish(12)
        self.look()
        self.started("next", kept.read(self.place.next), "number=12\n")
        self.place.find_good()
        self.write("home/stacks/tries", "x 1\n")
        self.publish(13, EMPTY)
        self.assertEqual(self.look(), 0)
        self.assertEqual(os.listdir(f"{self.root}/home/stacks"), [])
        self.assertIn("with the next start those of the image", told.sentence(self.said()))
        self.started("image")
        self.look()
        self.assertEqual((self.layers(), told.sentence(self.said())), ([], ""))

    def test_one_over_another_release_is_not_taken_and_that_is_told(self):
        self.publish(12)
        self.look()
        self.write("A.conf", IMAGE.replace(NODE, "1d" * 32))
        self.assertEqual(self.look(), 0)
        self.assertEqual(os.listdir(f"{self.root}/home/stacks"), [])
        self.assertIn("made over another release", told.trouble(self.said())[0])

    def test_what_was_made_over_this_release_stays_where_one_over_another_is_published(self):
        self.publish(12)
        self.look()
        self.started("next", kept.read(self.place.next), "number=12\n")
        self.place.find_good()
        there = self.layers()
        self.publish(13, body(line("physics"), over=f"base {FORMER}\nnode {NODE}\n"))
        self.assertEqual((self.look(), self.said()["code"]), (0, "other-base"))
        self.assertEqual((self.listed(), self.listed("good"), self.layers()), (["maths", "physics"], ["maths", "physics"], there))
        # What was taken for another system, which nobody offers any more, gives way to what was found good here.
        self.write("home/stacks/next", kept.read(self.place.good).replace(BASE, FORMER).replace("stack 12", "stack 11"))
        self.assertEqual((self.look(), kept.read(self.place.next)), (0, kept.read(self.place.good)))
        self.publish(14, EMPTY)
        self.assertEqual((self.look(), os.listdir(f"{self.root}/home/stacks")), (0, []), "the empty stack takes off what is here")

    def test_what_is_no_stack_changes_nothing_and_is_told(self):
        self.publish(12)
        self.look()
        self.publish(13, b"wow-stack 9\n")
        self.assertEqual((self.look(), self.listed()), (0, ["maths", "physics"]))
        self.assertIn("its first line is not wow-stack 1", told.trouble(self.said())[0])

    def test_what_rotted_in_home_is_written_anew(self):
        self.publish(12)
        self.look()
        text_ = kept.read(self.place.next)
        self.started("next", text_, "number=12\n")
        for name in ("good", "tries", "next"):
            self.write(f"home/stacks/{name}", b"\xff\xfe\x80")
        self.assertTrue(self.place.find_good())
        self.assertEqual(self.look(), 0)
        self.assertFalse(self.place.is_given_up())
        self.assertEqual([kept.read(path) for path in (self.place.next, self.place.good)], [text_] * 2)

    def test_what_the_disk_cannot_read_in_home_is_written_anew(self):
        self.publish(12)
        self.look()
        text_ = kept.read(self.place.next)
        self.started("next", text_, "number=12\n")
        for path in (self.place.good, self.place.tries, self.place.next, self.place.begun):
            if os.path.lexists(path):
                os.unlink(path)
            os.symlink("/proc/self/mem", path)  # reading that fails as a bad block does
        self.assertTrue(self.place.find_good())
        self.assertEqual(self.look(), 0)
        self.assertFalse(self.place.is_given_up())
        self.assertEqual([kept.read(path) for path in (self.place.next, self.place.good)], [text_] * 2)

    def test_without_a_notice_outside_of_an_image_and_in_an_ephemeral_start_nothing_is_done(self):
        self.assertEqual((self.look(), os.listdir(f"{self.root}/home")), (0, []))
        self.publish(12)
        self.write("mode", "ephemeral\n")
        self.assertEqual((self.look(), os.listdir(f"{self.root}/home")), (0, []))
        os.unlink(f"{self.root}/mode")
        os.unlink(f"{self.root}/A.conf")
        self.assertEqual((self.look(), os.listdir(f"{self.root}/home")), (0, []))

    def test_what_goes_wrong_leaves_the_former_stack_is_told_and_tried_again(self):
        self.publish(12, body(line("maths")))
        self.look()
        self.publish(13)
        self.trouble.append(WowError("the layer of physics was not brought: cut", "It is tried again by itself", code="away"))
        self.assertEqual((self.look(), self.listed()), (1, ["maths"]))
        self.assertEqual(self.said()["code"], "away")
        self.assertEqual((self.look(), self.listed()), (0, ["maths", "physics"]))

    def test_a_home_that_became_read_only_is_told_and_the_former_stack_stays(self):
        self.publish(12, body(line("maths")))
        self.look()
        self.publish(13)
        with mock.patch.object(type(self.place), "open", side_effect=OSError(30, "Read-only file system")):
            self.assertEqual((self.look(), self.listed()), (1, ["maths"]))
        self.assertEqual(self.said()["code"], "trouble")
        self.assertIn("home cannot be used: Read-only file system", told.trouble(self.said())[0])
        self.assertEqual((self.look(), self.listed()), (0, ["maths", "physics"]))

    def test_what_another_machine_sent_does_not_outlive_a_run_and_what_the_ca_sent_does(self):
        self.place.open()
        digest = hashlib.sha256(BYTES["physics"]).hexdigest()
        for name in (f"{digest}.part", f"{digest}.other.part"):
            self.write(f"home/layers/{name}", "p")
        self.trouble.append(WowError("cut", "It is tried again by itself", code="away"))
        self.publish(12)
        self.assertEqual((self.look(), self.layers()), (1, [f"{digest}.part"]))

    def test_no_room_is_told_before_anything_is_fetched(self):
        self.publish(12, body(line("maths", 4294967296)))
        with mock.patch.object(bring.os, "statvfs", return_value=mock.Mock(f_bavail=1 << 18, f_frsize=4096)):
            self.assertEqual((self.look(), self.brought), (1, []))
        self.assertIn("4096 MiB are to come and 256 MiB stay free, but 1024 MiB are there", told.trouble(self.said())[0])

    def test_a_busy_ca_is_asked_again_when_it_says_so_and_not_for_ever(self):
        self.publish(12)
        self.trouble += [fetch.Busy(5.0)] * 3
        self.assertEqual((self.look(), len(self.brought)), (0, 3))
        self.assertTrue(all(5.0 <= one <= 7.5 for one in self.slept[1:]), self.slept)
        self.publish(13, body(line("maths", 11, "dd" * 32)))
        self.trouble += [fetch.Busy(5.0)] * 100
        self.assertEqual((self.look(), self.said()["code"]), (1, "away"))

    def test_what_is_published_meanwhile_is_looked_at_at_once(self):
        self.publish(12)

        def sleep(_):
            self.publish(13, EMPTY)
        with self.assertRaises(bring.Newer):
            bring.once(self.place, lambda: None, f"{self.root}/notice-3", sleep)
        self.assertEqual(self.brought, [])

    def test_a_notice_that_goes_away_ends_the_fetching_restarts_nothing_and_takes_nothing_off(self):
        self.publish(12)
        self.look()
        self.assertEqual((self.said()["code"], self.listed()), ("next", ["maths", "physics"]))
        before = (list(self.brought), self.listed(), self.layers())
        self.publish(13, body(line("maths", 7, "ab" * 32)))

        def sleep(_):
            os.unlink(f"{self.root}/notice-3")
        with self.assertRaises(bring.Newer):
            bring.once(self.place, lambda: None, f"{self.root}/notice-3", sleep)
        self.assertEqual(self.look(), 0)
        self.assertFalse(os.path.exists(told.FILE))
        self.assertEqual((self.brought, self.listed(), self.layers()), before)

    def test_one_that_the_initrd_gave_up_is_told_until_another_is_published(self):
        self.publish(12)
        self.look()
        with open(self.place.next, "rb") as file:
            self.write("home/stacks/tries", f"{hashlib.sha256(file.read()).hexdigest()} 3\n")
        self.started("image", more="left=12\nwhy=after 3 starts with it this machine was not back in its pool\n")
        self.assertEqual((self.look(), self.said()["code"], self.said()["stacked"]), (0, "failed", ["tutorial"]))
        (found,) = diagnose.stack({"stack": self.said()})
        self.assertEqual((found.state, found.code), (finding.WRONG, "modules-failed"))
        self.assertIn("The pool's stack 12 was not taken at this start: after 3 starts", found.what)
        self.assertIn("tutorial, of this machine's image", found.what)
        self.publish(13)
        self.look()
        self.assertEqual((self.said()["code"], told.trouble(self.said())), ("next", ("", "")))

    def test_power_that_goes_at_any_write_leaves_a_stack_with_all_its_layers(self):
        """Each change of a name in home is a moment at which power may go; after each, next has all its layers."""
        self.publish(12, body(line("maths")))
        self.look()
        moments = []

        def whole():
            rows = [row.split() for row in kept.read(self.place.next).splitlines() if row.startswith(("module", "glue"))]
            moments.append(all(kept.size_of(f"{self.place.layers}/{row[2]}") == int(row[3]) for row in rows))

        def watched(function):
            def called(*words, **more):
                whole()
                function(*words, **more)
                whole()
            return called
        with mock.patch("os.rename", watched(os.rename)), mock.patch("os.unlink", watched(os.unlink)):
            self.publish(13, body(line("physics"), line("glue")))
            self.look()
            self.started("next", kept.read(self.place.next), "number=13\n")
            self.look()
            self.publish(14, EMPTY)
            self.look()
        self.assertGreater(len(moments), 8)
        self.assertTrue(all(moments))

    def test_status_and_doctor_tell_people(self):
        self.publish(12)
        self.look()
        self.assertIn("modules      tutorial, of this machine's image; with the next start: maths, physics", "\n".join(status.lines(samples.STATUS, stacked=told.sentence(self.said()))))
        (found,) = diagnose.stack({"stack": self.said()})
        self.assertEqual((found.state, found.check), (finding.OK, "modules"))
        self.started("good", kept.read(self.place.next), "number=11\nleft=12\nwhy=maths: the layer is missing\n")
        os.unlink(f"{self.root}/stack.json")
        (found,) = diagnose.stack({"stack": self.said()})
        self.assertEqual((found.state, found.code), (finding.WRONG, "modules-left"))
        self.assertIn("maths: the layer is missing", found.what)

    def test_the_manager_is_told_of_the_layers_of_this_start(self):
        with mock.patch.object(base, "STACK", f"{self.root}/A.conf"), mock.patch.object(base, "STARTED", f"{self.root}/list"):
            self.started("next", f"# stack 12\n{OWN}module maths x 1 {'ee' * 32}\n", "number=12\n")
            self.assertEqual(pace.digest(kept.read(base.started())), f"{BASE[:8]}.{NODE[:8]}.eeeeeeee")
            os.unlink(f"{self.root}/list")
            self.assertEqual(pace.digest(kept.read(base.started())), f"{BASE[:8]}.{NODE[:8]}.77777777")

    def test_a_machine_that_is_back_in_its_pool_has_a_look_and_no_trouble_with_home_keeps_it_from_that(self):
        kept.settle(f"{self.root}/stack.wanted", f"{self.root}/settled")
        self.assertTrue(os.path.exists(f"{self.root}/stack.wanted"))
        self.assertTrue(os.path.exists(f"{self.root}/settled"))
        os.unlink(f"{self.root}/stack.wanted")
        with mock.patch.object(kept.Place, "find_good", side_effect=OSError(28, "No space left on device")), mock.patch("builtins.print") as printed:
            kept.settle(f"{self.root}/stack.wanted", f"{self.root}/settled")
        self.assertEqual(printed.call_count, 1)
        self.assertTrue(os.path.exists(f"{self.root}/stack.wanted"), "a trial is noted without home")

    def test_a_machine_that_forgets_its_pool_forgets_its_modules(self):
        self.publish(12)
        self.look()
        with mock.patch.object(reset.kept, "HOME", f"{self.root}/home"), mock.patch.object(reset, "wipe"), mock.patch.object(reset.system, "systemctl") as called, \
                mock.patch.object(reset.console, "say"):
            reset.main()
        self.assertEqual(os.listdir(f"{self.root}/home"), [])
        self.assertIn("wow-stack.service", called.call_args_list[0].args)

    def test_a_machine_that_forgets_its_pool_tries_no_other_system(self):
        done = []
        self.write("system.armed", "12\n")
        with mock.patch.object(reset, "ARMED", f"{self.root}/system.armed"), mock.patch.object(reset.kept, "HOME", f"{self.root}/home"), \
                mock.patch.object(reset, "wipe", done.append), mock.patch.object(reset.system, "systemctl", lambda *words: done.append(words)), \
                mock.patch.object(reset.console, "say"):
            reset.leave()
        self.assertEqual(done[1:], [reset.paths.STATE, ("start", "wow-system.service"), ("poweroff", "--no-block")])
        self.assertLess(done[0].index("wow-stack.service"), done[0].index("wow-system.service"), "the one that starts it first")

    def test_nor_goes_on_with_a_trial(self):
        done = []
        for trial in ("", "2"):
            self.write("system", f"system=B\ntrial={trial}\nleft=\n")
            with mock.patch.object(reset, "ARMED", f"{self.root}/system.armed"), mock.patch.object(reset.kept, "HOME", f"{self.root}/home"), \
                    mock.patch.object(reset.kept, "SAID", f"{self.root}/system"), mock.patch.object(reset, "wipe"), mock.patch.object(reset.console, "say"), \
                    mock.patch.object(reset.system, "systemctl", lambda *words: done.append(words[:2])):
                reset.main()
        self.assertEqual([words for words in done if words[0] == "start"], [("start", "wow-system.service")])


class Month(Prepared):
    def test_nothing_published_is_fetched_while_the_owner_s_month_is_used_up_and_people_are_told(self):
        self.publish(12)
        with mock.patch("wow.stack.lent.month.pause", return_value=object()):
            self.assertEqual((self.look(), self.said()["code"], self.brought), (1, "month", []))
        (found,) = diagnose.stack({"stack": self.said()})
        self.assertEqual((found.state, found.code), (finding.WRONG, "modules-month"))
        self.assertEqual((self.look(), self.listed()), (0, ["maths", "physics"]))


class Reaching(unittest.TestCase):
    def reached(self, **said):
        with mock.patch.object(bring.facts, "read", samples.pool), mock.patch.object(bring.control, "status", lambda: {**samples.STATUS, **said}), \
                mock.patch.object(bring.control, "ask", return_value={"address": "10.128.0.1"}) as asked, mock.patch.object(fetch, "Source") as source:
            bring.reach()
        asked.assert_called_once_with("resolve", name="ca.science.internal")
        return source.call_args.args

    def test_only_a_certified_machine_asks_and_it_asks_the_machine_with_the_ca(self):
        self.assertEqual(self.reached(), ("10.128.0.1", 8445, "ca.science.internal", samples.STATUS["address"]))
        for said in ({"certified": False}, {"address": None}):
            with self.assertRaises(WowError):
                self.reached(**said)

    def test_a_ca_without_an_address_keeps_no_machine_from_its_origins(self):
        with mock.patch.object(bring.facts, "read", samples.pool), mock.patch.object(bring.control, "status", lambda: samples.STATUS), \
                mock.patch.object(bring.control, "ask", side_effect=WowError("ca.science.internal has no address", "")), mock.patch.object(bring.named, "known", list), \
                mock.patch("wow.stack.origins.Origins"):
            with self.assertRaisesRegex(WowError, "ca.science.internal has no address"):
                bring.reach()
            with mock.patch.object(bring.named, "known", lambda: ["https://a.example"]):
                way = bring.reach()
            with self.assertRaisesRegex(OSError, "ca.science.internal has no address"):
                way.ca.say("GET", "/")


if __name__ == "__main__":
    unittest.main()
