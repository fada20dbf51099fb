import argparse
import io
import json
import os
import pathlib
import re
import shlex
import types
import unittest
from unittest import mock

from world import ARM, FILES, KEY, LOGIN, World, identity, whole

from pool import here, pages, place
from pool.authority import Authority
from pool.folder import Folder
from pool.pool import Pool
from pool.verbs import create
from wow.page import text

ALL = FILES | {"START.md", "backup.age", "backup.json", "pool.json", "secret", "stamped.json", "tickets.json", ".gitignore", "manager/node.key",
               "manager/node.pem", "manager/ca/ca.key", "manager/ca/ca.pem", "manager/ca/ca.db", "manager/ca/keys.notice", "manager/ca/stack-1.key",
               "manager/ca/layers.lock", "keys.notice", "for-volunteers/volunteer.md", "for-volunteers/hypervisors.md",
               "for-scientists/scientist.md", "for-scientists/jobs.md", "for-scientists/hypervisors.md"}


class OnePool(unittest.TestCase):
    def setUp(self):
        self.world = World(self)

    def test_a_keyboard_stands_in_each_pool_conf_and_one_that_there_is_not_is_told_with_what_is_near(self):
        code, _, err = self.world.create("--keyboard", "uk")
        self.assertEqual((1, True, False), (code, '--keyboard: there is no keyboard "uk". Near it: gb (British (UK), Irish)' in err, self.world.pool.exists()), err)
        self.world.made("--keyboard", "de", "--login")
        disks = ("for-volunteers/science-config.img", "for-manager/science-manager-config.img", "for-scientists/science-login-config.img")
        for disk in disks:
            self.assertIn("keyboard = de\n", self.world.conf(disk))
        code, _, err = self.world.create("--keyboard", "fr")
        self.assertEqual((1, True), (code, f"{self.world.typed} stamp {self.world.pool} --keyboard LAYOUT" in err), err)
        code, _, err = self.world.run("stamp", self.world.pool, "--keyboard", "azerty")
        self.assertEqual((1, True), (code, "Near it: fr" in err), err)
        code, _, err = self.world.run("stamp", self.world.pool, "--keyboard", "fr")
        self.assertEqual(0, code, err)
        for disk in disks:
            self.assertIn("keyboard = fr\n", self.world.conf(disk))

    def test_web_servers_that_have_the_modules_stand_in_each_pool_conf_until_they_are_taken_off(self):
        self.world.made()
        code, _, err = self.world.run("stamp", self.world.pool, "--origins", "http://a.example")
        self.assertEqual((1, True), (code, '--origins: "http://a.example" is not https:// with a host' in err), err)
        disks = ("for-volunteers/science-config.img", "for-manager/science-manager-config.img")
        for typed, line in (("https://A.example/wow/ https://b.example:8443", "[modules]\norigins = https://a.example/wow https://b.example:8443\n"), ("", "")):
            code, _, err = self.world.run("stamp", self.world.pool, "--origins", typed)
            self.assertEqual(0, code, err)
            for disk in disks:
                self.assertEqual("origins" in self.world.conf(disk), bool(line))
                self.assertIn(line, self.world.conf(disk))

    def test_one_command_makes_everything_in_a_folder_of_its_owner_alone(self):
        told = self.world.made("--user", f"alice={self.world.key}", "--until", "2099-01-01", "--machines", "7")
        whole(self, self.world, ALL)
        self.assertEqual([0o600], sorted({os.stat(self.world.pool / name).st_mode & 0o777 for name in self.world.names()} - {0o644}))
        self.assertEqual((7, 0), (told["tickets"][0]["machines"], told["tickets"][0]["used"]))
        self.assertEqual(FILES, {image["file"] for image in told["images"]})
        self.assertTrue(told["recovery_key"].startswith("AGE-SECRET-KEY-1"))
        self.assertEqual({"file": "backup.age", "current": True}, {key: told["backup"][key] for key in ("file", "current")})
        self.assertIn(f"[user:alice]\nauthorized-key = {KEY}\n", self.world.conf("for-volunteers/science-config.img"))
        self.assertIn("bootstrap = udp:manager.example.org:4433\n", self.world.conf("for-volunteers/science-config.img"))

    def test_nobody_logs_in_to_the_manager_and_its_file_has_no_ticket(self):
        self.world.made("--user", f"alice={self.world.key}")
        conf = self.world.conf("for-manager/science-manager-config.img")
        self.assertIn("role = manager\n", conf)
        for word in ("alice", "ticket", "bootstrap"):
            self.assertNotIn(word, conf)

    def test_administrators_log_in_to_the_manager_alone_and_start_md_says_how_they_ask_its_ca(self):
        told = self.world.made("--admin", f"carol={self.world.key}")
        self.assertEqual({"carol": KEY}, told["admins"])
        self.assertIn(f"[user:carol]\nauthorized-key = {KEY}\nadmin = yes\n", self.world.conf("for-manager/science-manager-config.img"))
        self.assertNotIn("carol", self.world.conf("for-volunteers/science-config.img"))
        self.assertIn("`ssh carol@manager.example.org wow-ca revoke HOST`", self.world.text("START.md"))
        self.assertIn("carol", self.world.run("show", self.world.pool)[1])
        self.world.run("admin", "add", self.world.pool, f"dave={self.world.key}")
        self.world.run("admin", "remove", self.world.pool, "carol")
        conf = self.world.conf("for-manager/science-manager-config.img")
        self.assertTrue("[user:dave]" in conf and "carol" not in conf, conf)
        self.assertIn("ssh dave@", self.world.text("START.md"))

    def test_who_has_a_laptop_gets_a_machine_with_a_queue_and_no_jobs(self):
        told = self.world.made("--user", f"alice={self.world.key}", "--login")
        self.assertEqual(FILES | LOGIN, {image["file"] for image in told["images"]})
        conf = self.world.conf("for-scientists/science-login-config.img")
        self.assertIn("[node]\nrole = login\n", conf)
        self.assertEqual(self.world.conf("for-volunteers/science-config.img"), conf.replace("[node]\nrole = login\n\n", ""))
        start = self.world.text("START.md")
        for name in LOGIN:
            self.assertIn(name.removesuffix(".ova"), start)
        self.assertIn("to those with a laptop", start)

    def test_the_recovery_key_stands_in_no_file(self):
        key = self.world.made()["recovery_key"]
        for name in self.world.names():
            self.assertNotIn(key.encode(), (self.world.pool / name).read_bytes(), name)
            self.assertNotIn(key.split("-")[-1][1:].lower().encode(), (self.world.pool / name).read_bytes(), name)

    def test_a_second_run_changes_nothing_and_shows_no_key(self):
        self.world.made()
        before = {name: (self.world.pool / name).read_bytes() for name in self.world.names()}
        told = self.world.made()
        self.assertIsNone(told["recovery_key"])
        self.assertEqual(before, {name: (self.world.pool / name).read_bytes() for name in self.world.names()})

    def test_start_md_names_each_file_to_send_and_the_port(self):
        self.world.create("--user", f"alice={self.world.key}", "--until", "2099-01-01")
        start = self.world.text("START.md")
        for name in (*FILES, "for-volunteers/volunteer.md", "for-scientists/scientist.md", "backup.age"):
            self.assertIn(name, start)
            self.assertTrue((self.world.pool / name).is_file())
        for words in ("UDP port **4433**", "manager.example.org", "alice", "2099-01-01", "recovery key"):
            self.assertIn(words, start)
        self.assertNotIn("](", self.world.text("for-volunteers/volunteer.md").replace("](https", ""), "a link to a file that its reader has not")

    def test_what_start_md_has_one_wait_for_is_what_the_window_says(self):
        self.world.create()
        waited = re.search(r"until its window says \*(.+?)\*", self.world.text("START.md"))[1]
        facts = text.Facts(0, "science", "manager")
        facts.status = {"ring": {"joined": True}, "address": "10.128.0.1", "open": False, "certified": True}
        self.assertTrue(text.state(facts).startswith(waited), waited)

    def test_what_start_md_has_one_type_can_be_copied(self):
        self.world.create("--user", f"alice={self.world.key}", "--admin", f"carol={self.world.key}")
        start = self.world.text("START.md")
        typed = re.findall(r"(?m)(?:^    |`)([^\s`]*wow) (pool [a-z]+)", start)
        self.assertGreater(len(typed), 10)
        self.assertEqual({here.ANYWHERE}, {program for program, verb in typed if verb != "pool create"})
        self.assertTrue(os.access(here.WOW, os.X_OK))
        self.assertIn("*bridged* network card", start)
        self.assertIn("`wow-amd64.ova`", start)

    def test_start_md_says_of_each_manager_until_when_it_can_be_started(self):
        self.world.made("--at", "second.example.org")
        found = Pool(Folder(self.world.pool), self.world.clone)
        told = found.authority.contents()
        for row in told["certificates"]:
            row["not_after"] = {"manager": "2030-01-31", "second": "2030-02-19"}[row["host"]] + row["not_after"][10:]
        with mock.patch.object(Authority, "contents", lambda _: told):
            start = pages.texts(found)[found.folder.start]
        self.assertIn("Start it before **2030-01-31**", start)
        self.assertRegex(start, r"start the manager second .* before \*\*2030-02-19\*\* and once")

    def test_a_folder_with_a_blank_in_its_name_can_be_copied_from_start_md_and_from_what_is_said(self):
        root = self.world.home / "Zürich lab"
        _, out, _ = self.world.create("--folder", root)
        typed = re.findall(r"(?m)(?:^    |`)([^\n`]*wow pool [^\n`]*)", (root / "START.md").read_text(encoding="utf-8")) + re.findall(r"(?m)\S+wow pool \w+ add .*$", out)
        words = [words[words.index("pool"):] for words in map(shlex.split, typed)]
        named = [str(root) in words for words in words if words[1] not in ("create", "restore", "upgrade")]
        self.assertGreater(len(named), 12)
        self.assertTrue(all(named), words)

    def test_a_page_for_who_has_no_clone_has_no_picture_and_no_decision_in_it(self):
        self.assertEqual("One.\n\nTwo, and a link.\n", self.page("One.\n\n![A window](console.png)\n\nTwo\n([0073](decisions/0073.md)), and a [link](x.md).\n"))
        self.assertNotRegex(pages.page("volunteer.md"), r"(?m)^!|\(\d{4}\)")

    def page(self, text):
        """A page of docs/ with this text."""
        (self.world.home / "page.md").write_text(text)
        with mock.patch.object(pages, "DOCS", self.world.home):
            return pages.page("page.md")

    def test_another_port_is_the_manager_s_own(self):
        self.world.run("create", "science", "--at", "manager.example.org:7000")
        self.assertIn("port = 7000\n", self.world.conf("for-manager/science-manager-config.img"))
        self.assertIn("bootstrap = udp:manager.example.org:7000\n", self.world.conf("for-volunteers/science-config.img"))

    def test_progress_tells_each_step_with_its_seconds(self):
        code, out, _ = self.world.create()
        self.assertEqual(0, code)
        for what in ("certificate authority of science", "ticket for 100 machines", "for-volunteers/science.ova", "backup.age", "START.md"):
            self.assertRegex(out, rf"(?m)^\[ +[\d.]+ s\] {what}.* \([\d.]+ s\)$")
        self.assertNotRegex(out, r"(?m)WARNING: *$")

    def test_who_names_nobody_is_told_whom_the_pool_lacks_and_how_they_come(self):
        key = self.world.key
        for words, lacks in (((), ("user", "admin")), (("--user", f"alice={key}"), ("admin",)), (("--user", f"alice={key}", "--admin", f"carol={key}"), ())):
            world = World(self)
            _, out, _ = world.create(*words)
            self.assertEqual(list(lacks), re.findall(rf"WARNING: nobody may log in .*: {re.escape(world.typed)} (\w+) add {world.pool} NAME=FILE.pub\n", out))

    def test_a_pool_in_a_clone_is_not_committed_by_chance(self):
        self.world.made()
        self.assertEqual("*\n", self.world.text(".gitignore"))


class SeveralManagers(unittest.TestCase):
    PLACES = ("--at", "second.example.org:7000", "--at", "third.example.org")

    def setUp(self):
        self.world = World(self)

    def test_managers_that_are_asked_for_are_those_that_manager_add_would_make(self):
        told = self.world.made("--managers", "3", *self.PLACES)
        self.assertEqual([("manager", "10.128.0.1", "manager.example.org:4433", True), ("second", "10.128.0.2", "second.example.org:7000", False),
                          ("third", "10.128.0.3", "third.example.org:4433", False)], [tuple(row[key] for key in ("host", "address", "at", "ca")) for row in told["manager"]])
        other = World(self)
        other.made()
        for name, at in zip(("second", "third"), self.PLACES[1::2]):
            other.does("manager", "add", other.pool, name, "--at", at)
        self.assertEqual(other.names(), self.world.names())
        for disk in ("for-volunteers/science-config.img", "for-manager-second/science-manager-second-config.img", "for-manager/science-manager-config.img"):
            made, added = ({line for line in one.conf(disk).splitlines() if not line.startswith(("secret", "certificate", "ticket"))} for one in (self.world, other))
            self.assertEqual(added, made)
        start = self.world.text("START.md")
        self.assertRegex(start, r"second in the same way at \*\*second\.example\.org\*\* \(UDP port 7000\), before \*\*\d{4}-\d\d-\d\d\*\* and once: "
                                "`for-manager-second/science-manager-second.ova`")

    def test_a_run_that_was_ended_is_gone_on_with_and_no_manager_is_made_twice(self):
        def before(wanted):
            def end(step):
                if step == wanted:
                    raise KeyboardInterrupt
            return self.world.create(*self.PLACES, reached=end)[0]

        def before_the_list():
            with mock.patch.object(Authority, "sign_managers", mock.Mock(side_effect=KeyboardInterrupt)):
                return self.world.create(*self.PLACES)[0]
        # One after the other of the same pool: each goes on where the one before was ended.
        for ended in (lambda: before("managers"), before_the_list, lambda: before("science-manager-second.ova")):
            self.assertEqual(130, ended())
        told = self.world.made(*self.PLACES)
        self.assertEqual(["manager", "second", "third"], [row["host"] for row in told["manager"]])
        self.assertEqual(3, len([row for row in self.world.ca()["certificates"] if row["role"] == "manager"]))
        self.assertEqual({"science-manager-second.ova", "science-manager-third.ova"},
                         {pathlib.Path(image["file"]).name for image in told["images"] if image["file"].startswith("for-manager-") and image["file"].endswith(".ova")})

    def test_the_same_words_again_are_right_and_others_are_told(self):
        self.world.made("--managers", "3", *self.PLACES)
        for words in (("--at", "manager.example.org", *self.PLACES, "--managers", "3"), ("--at", "manager.example.org"), ()):
            code, _, err = self.world.run("create", "science", *words)
            self.assertEqual(0, code, err)
        for words, says in ((("--managers", "4"), f"{self.world.typed} manager add"), (("--at", "manager.example.org", "--at", "fourth.example.org"), f"{self.world.typed} manager add")):
            code, _, err = self.world.run("create", "science", *words)
            self.assertEqual((1, True), (code, says in err), err)

    def test_who_sits_at_a_terminal_is_asked_for_each_place(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True
        asked, out = io.StringIO(), io.StringIO()
        with mock.patch.object(create.sys, "stdin", Terminal(" first.example.org \nsecond.example.org\n")), mock.patch.object(create.sys, "stderr", asked), \
                mock.patch.object(create.sys, "stdout", out):
            given = argparse.Namespace(managers=2, at=[])
            create.ask_places(given)
        self.assertEqual(["first.example.org", "second.example.org"], given.at)
        self.assertEqual((["first", "second"], ""), (re.findall(r"Where will the (\w+) manager run", asked.getvalue()), out.getvalue()))
        with mock.patch.object(create, "sys", types.SimpleNamespace(stdin=Terminal(), stderr=asked)):
            for words in (("create", "science", "--managers", "2"), ("create", "science", "--managers", "2", "--at", "first.example.org")):
                code, _, err = self.world.run(*words)
                self.assertEqual((1, "\nwow pool create: the input ended before the question was answered. Type the same command again, and an answer\n"), (code, err))
        self.assertFalse(self.world.pool.exists())


class Refused(unittest.TestCase):
    def setUp(self):
        self.world = World(self)

    def refused(self, *words, says, name="science"):
        """The command fails with these words in one line, and leaves nothing."""
        before = sorted(self.world.home.rglob("*"))
        code, _, err = self.world.run("create", name, *words)
        self.assertEqual(1, code)
        self.assertEqual(1, err.count("\n"), err)
        for word in says:
            self.assertIn(word, err)
        self.assertEqual(before, sorted(self.world.home.rglob("*")))

    def test_places_that_nobody_reaches(self):
        for at, says in (("127.0.0.1", "loopback"), ("localhost", "loopback"), ("169.254.3.4", "link-local"), ("0.0.0.0", "no host's address"),
                         ("224.1.1.1", "multicast"), ("10.128.3.4", "own subnet"), ("[2001:db8::1]:4433", "IPv6"), ("", "--at"), (":4433", "no host"),
                         ("host:0", "not a UDP port"), ("host:65536", "not a UDP port"), ("host:x", "not a UDP port"), ("a_b.example.org", "--at a_b"),
                         ("300.1.1.1", "--at 300.1.1.1"), ("a.example.org\n[node]", "--at")):
            self.refused("--at", at, says=[says])

    def test_a_private_place_needs_a_word(self):
        for at in ("10.1.2.3", "172.31.0.1", "192.168.1.5", "100.64.0.9", "printer", "nas.local", "box.fritz.internal"):
            self.refused("--at", at, says=["network alone", "--private"])

    def test_a_private_place_that_was_asked_for_is_made_with_a_warning(self):
        code, out, _ = self.world.run("create", "science", "--at", "192.168.1.5", "--private")
        self.assertEqual(0, code)
        self.assertIn("WARNING: 192.168.1.5 is a private address: only machines in that network", out)

    def test_names_subnets_days_and_numbers(self):
        at = ("--at", "manager.example.org")
        self.refused(*at, name="Science", says=['"Science"', "DNS label"])
        self.refused(*at, name="a/b", says=["DNS label"])
        self.refused(*at, "--subnet", "10.0.0.0/30", says=["--subnet 10.0.0.0/30", "too small"])
        self.refused(*at, "--subnet", "10.0.0.0/28", says=["addresses for 10 machines", "--machines"])
        self.refused(*at, "--subnet", "10.0.0.1/16", says=["10.0.0.0/16"])
        self.refused(*at, "--subnet", "10.0.0.0/16 ", says=["--subnet", "blank"])
        self.refused(*at, "--until", "2020-01-01", says=["--until 2020-01-01", "over already"])
        for day in ("soon", "20990131", "2099-W05-1"):
            self.refused(*at, "--until", day, says=[f"--until {day}: is no day", "2027-01-31"])
        self.refused(*at, "--machines", "0", says=["--machines"])
        self.refused(says=["--at", "is missing"])

    def test_each_manager_needs_a_place_of_its_own(self):
        first, second = ("--at", "manager.example.org"), ("--at", "second.example.org")
        self.refused(*first, "--managers", "2", says=["--managers 2", "there is one", "--at HOST for each"])
        self.refused(*first, *second, "--managers", "1", says=["--managers 1", "there are 2 places"])
        self.refused(*first, *first, says=["--at manager.example.org:4433", "another manager's place"])
        self.refused(*first, "--at", "10.1.2.3", says=["--at 10.1.2.3", "--private"])
        self.refused(*first, "--at", "a_b.example.org", says=["--at a_b.example.org"])
        for number in ("0", "9"):
            self.refused(*first, "--managers", number, says=[f"--managers {number}", "1 to 8 managers"])
        many = [word for number in range(4) for word in ("--at", f"m{number}.example.org")]
        self.refused(*many, "--subnet", "10.0.0.0/28", "--machines", "5", says=["--subnet 10.0.0.0/28", "addresses for 3 managers"])

    def test_a_place_whose_name_has_no_address_is_told_and_the_pool_is_made(self):
        with mock.patch.object(place, "look_up", mock.Mock(side_effect=OSError(None, "Name or service not known"))):
            code, out, _ = self.world.create()
        self.assertEqual(0, code)
        self.assertIn("WARNING: manager.example.org has no address that this machine knows", out)

    def test_users(self):
        at, key = ("--at", "manager.example.org"), self.world.key
        private, two, text = key.with_name("id"), key.with_name("two.pub"), key.with_name("text.pub")
        private.write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n", encoding="ascii")
        two.write_text(f"{KEY}\n{KEY}\n", encoding="ascii")
        text.write_text("hello world\n", encoding="ascii")
        key.with_name("bytes.pub").write_bytes(b"\xff\xfe\x00")
        for user, says in ((f"alice={private}", "private key"), (f"alice={two}", "2 lines"), (f"alice={text}", "not a kind of OpenSSH key"),
                           (f"alice={key.with_name('bytes.pub')}", "no text"), (f"alice={key.with_name('absent')}", "No such file"), ("alice", "NAME=FILE.pub"),
                           (f"Alice={key}", "not a user name"), (f"root]={key}", "user"), (f"a b={key}", "blank"), (f"={key}", "NAME=FILE.pub")):
            for option in ("--user", "--admin"):
                self.refused(*at, option, user, says=[option, says])
        self.refused(*at, "--user", f"al={key}", "--user", f"al={key}", says=["--user al", "twice"])
        for name in ("root", "backup", "mail", "games", "condor", "wow", "wow-web", "wowjob1"):
            for option in ("--user", "--admin"):
                self.refused(*at, option, f"{name}={key}", says=[f"{option} {name}: is the name of an account that each machine's system has"])

    def test_a_folder_that_is_something_else_stays_as_it_is(self):
        (self.world.home / "science").mkdir()
        (self.world.home / "science/thesis.tex").write_text("mine", encoding="ascii")
        self.refused("--at", "manager.example.org", says=["is there already", "--folder"])
        self.refused("--at", "manager.example.org", "--folder", self.world.home / "science/thesis.tex", says=["is a file"])
        self.refused("--at", "manager.example.org", "--folder", self.world.home / "no/where", says=["does not exist"])

    def test_an_image_of_another_release(self):
        self.world.make_image(release="0.0.9")
        code, _, err = self.world.create()
        self.assertEqual(1, code)
        for word in ("release 0.0.9", self.world.clone.release, "make image"):
            self.assertIn(word, err)
        self.assertFalse((self.world.pool / "for-volunteers").exists())
        self.world.make_image()
        self.world.made()

    def test_an_image_whose_build_was_broken_off(self):
        with open(self.world.out / "wow-amd64.qcow2", "ab") as disk:
            disk.write(b"more")
        code, _, err = self.world.create()
        self.assertEqual((1, True), (code, "SHA256SUMS" in err))

    def test_a_missing_image_is_built_and_a_build_that_fails_is_said(self):
        (self.world.out / "wow-amd64.ova").unlink()
        code, _, err = self.world.create()
        self.assertEqual((1, True), (code, "the image was not built" in err), err)
        built = self.world.key.with_name("build")
        built.write_text(f"#!/bin/sh\numask > {self.world.out}/umask\nmv {self.world.out}/kept.ova {self.world.out}/wow-amd64.ova\n", encoding="ascii")
        built.chmod(0o755)
        self.world.make_image()
        (self.world.out / "wow-amd64.ova").rename(self.world.out / "kept.ova")
        self.world.clone.builder = built
        self.world.made()
        self.assertEqual("0022", (self.world.out / "umask").read_text(encoding="ascii").strip(), "an image made so would be its owner's alone")

    def test_files_for_arm64_want_that_image_before_anything_is_made(self):
        code, _, err = self.world.create("--arm64")
        self.assertEqual((1, True, False), (code, "&& make image ARCH=arm64" in err, self.world.pool.exists()), err)
        self.world.make_arm()
        self.assertEqual(FILES | ARM, {image["file"] for image in self.world.made("--arm64")["images"]})
        self.assertIn("`for-volunteers/science-arm64.utm.zip`", self.world.text("START.md"))


class AnotherPool(unittest.TestCase):
    def setUp(self):
        self.world = World(self)
        self.world.made("--user", f"alice={self.world.key}", "--machines", "7", "--until", "2099-01-01")

    def test_what_differs_from_the_pool_that_is_there_is_named_with_the_verb_that_changes_it(self):
        before = {name: (self.world.pool / name).read_bytes() for name in self.world.names()}
        other = self.world.key.with_name("other.pub")
        other.write_text(KEY.replace("alice@home", "bob"), encoding="ascii")
        for words, says in ((("--at", "other.example.org"), f"{self.world.typed} stamp"), (("--at", "manager.example.org", "--subnet", "10.0.0.0/8"), "keeps its subnet"),
                            (("--machines", "8"), f"{self.world.typed} ticket"), (("--login",), f"{self.world.typed} stamp {self.world.pool} --login"), (("--until", "2098-01-01"), f"{self.world.typed} ticket"), (("--user", f"bob={other}"), f"{self.world.typed} user add"),
                            (("--arm64",), f"has no files for arm64, not files for arm64. To make those files, too: {self.world.typed} stamp {self.world.pool} --arm64"),
                            (("--admin", f"bob={other}"), f"{self.world.typed} admin add")):
            code, _, err = self.world.run("create", "science", *words)
            self.assertEqual((1, True), (code, says in err), err)
        code, _, err = self.world.run("create", "physics", "--folder", self.world.pool)
        self.assertEqual((1, True), (code, "has science, not physics" in err), err)
        self.assertEqual(before, {name: (self.world.pool / name).read_bytes() for name in self.world.names()})

    def test_the_same_words_again_are_right_and_so_are_none(self):
        for words in ((), ("--user", f"alice={self.world.key}", "--at", "manager.example.org:4433", "--machines", "7", "--until", "2099-01-01")):
            self.world.does("create", "science", *words)
        self.assertEqual(4, len(identity(self.world)))

    def test_settings_that_were_changed_by_hand_into_nonsense_are_refused(self):
        path = self.world.pool / "pool.json"
        kept = path.read_text(encoding="utf-8")
        for text, says in (("{", f"{self.world.typed} restore backup.age"), ("[]", f"{self.world.typed} restore backup.age"), (kept.replace('"format": 1', '"format": 2'), "format 2"),
                           (json.dumps({**json.loads(kept), "more": 1}), f"{self.world.typed} restore backup.age")):
            path.write_text(text, encoding="utf-8")
            code, _, err = self.world.run("show", self.world.pool)
            self.assertEqual((1, True), (code, says in err), err)

    def test_a_folder_without_a_pool_is_named(self):
        for verb in (("show",), ("stamp",), ("backup",), ("ticket", "--end", "x"), ("user", "remove")):
            words = (*verb, pathlib.Path("nowhere"), "alice") if verb[0] == "user" else (*verb, "nowhere")
            code, _, err = self.world.run(*words)
            self.assertEqual((1, True), (code, "no folder of a pool" in err), err)


if __name__ == "__main__":
    unittest.main()
