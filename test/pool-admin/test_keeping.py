"""The verbs that keep a pool: show, ticket, user, stamp."""

import base64
import datetime
import errno
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import zipfile
from unittest import mock

from world import ARM, FILES, KEY, LOGIN, ROOT, World, ended, identity

from pool import settings
from pool.formats import inplace, onedisk
from pool.authority import day_in
from pool.node import token
from pool.verbs import show

UNTIL = ("--until", "2099-01-01")


class Kept(unittest.TestCase):
    def setUp(self):
        self.world = World(self)
        self.world.copied()
        self.before = identity(self.world)

    def run_json(self, verb, *words):
        code, out, err = self.world.run(verb, *words, "--json")
        self.assertEqual(0, code, err)
        return json.loads(out)

    def refused(self, *words, says):
        kept = {name: (self.world.pool / name).read_bytes() for name in self.world.names()}
        code, _, err = self.world.run(*words)
        self.assertEqual((1, 1), (code, err.count("\n")), err)
        self.assertIn(says, err)
        self.assertEqual(kept, {name: (self.world.pool / name).read_bytes() for name in self.world.names()})

    def served(self):
        """What a manager leaves in the CA that it serves: a machine that came by the ticket."""
        with sqlite3.connect(self.world.pool / "manager/ca/ca.db") as database:
            database.execute("INSERT INTO ticket_uses SELECT id, 'a machine', 0 FROM tickets LIMIT 1")
        database.close()

    def test_show_warns_a_year_before_the_ca_s_certificate_ends(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        self.assertEqual("", show.ends((now + datetime.timedelta(days=366)).isoformat(), "wow pool backup science"))
        for word in ("with it the pool", "wow-ca renew-authority", "wow pool backup science --ca DIR"):
            self.assertIn(word, show.ends((now + datetime.timedelta(days=364)).isoformat(), "wow pool backup science"))
        self.assertNotIn("with it the pool", self.world.run("show", self.world.pool)[1])

    def test_show_tells_all_that_is_in_the_folder_and_no_secret(self):
        told = self.run_json("show", self.world.pool)
        self.assertEqual(("science", "10.128.0.0/16", "manager.example.org:4433"), (told["name"], told["subnet"], told["at"]))
        self.assertEqual({"alice": KEY}, told["users"])
        self.assertEqual(FILES, {image["file"] for image in told["images"]})
        self.assertEqual([("manager", "10.128.0.1")], [(row["host"], row["address"]) for row in told["manager"]])
        der = subprocess.run(["openssl", "x509", "-in", self.world.pool / "manager/ca/ca.pem", "-outform", "der"], check=True, capture_output=True).stdout
        digest = subprocess.run(["sha256sum"], input=der, check=True, capture_output=True).stdout.decode()[:64]
        self.assertEqual(digest, told["ca"]["sha256"])
        _, out, _ = self.world.run("show", self.world.pool)
        ticket = json.loads(self.world.text("tickets.json"))[0]["ticket"]
        for text in (json.dumps(told), out):
            self.assertIn(digest, text)
            self.assertIn(ticket.partition(":")[0], text)
            self.assertNotIn(ticket.partition(":")[2], text)
            self.assertNotIn(self.world.text("secret").strip(), text)

    def test_show_prints_what_opens_the_managers_figures_and_nothing_else(self):
        _, out, _ = self.world.run("show", self.world.pool, "--token")
        self.assertEqual(f"{token.from_key(self.before['manager/node.key'])}\n", out)
        self.assertEqual({"token": out.strip()}, self.run_json("show", self.world.pool, "--token"))
        self.assertNotIn(out.strip(), json.dumps(self.run_json("show", self.world.pool)))

    def test_the_token_that_follows_another_is_printed_and_shown_by_its_number(self):
        second = token.from_key(self.before["manager/node.key"], 2)
        self.assertEqual({"token": second}, self.run_json("show", self.world.pool, "--token", "--number", "2"))
        _, _, _, folder = self.via("echo '{}'", "alpha", "--json", "--number", "2")
        self.assertEqual(second + "\n", (folder / "said").read_text(encoding="ascii"))
        for number in ("0", "10000", "-1"):
            self.refused("show", self.world.pool, "--token", f"--number={number}", says="goes from 1 to 9999")

    def via(self, script, *words):
        """`wow pool show --via`, where ssh is this script."""
        folder = self.world.key.parent / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "ssh").write_text(f"#!/bin/sh\necho \"$@\" > {folder}/words\ncat > {folder}/said\n{script}\n", encoding="ascii")
        (folder / "ssh").chmod(0o755)
        with mock.patch.dict(os.environ, {"PATH": f"{folder}:{os.environ['PATH']}"}):
            return *self.world.run("show", self.world.pool, "--via", *words), folder

    def test_show_asks_a_machine_of_the_pool_for_the_managers_history(self):
        told = {"days": 30, "person": [{"name": "alice@alpha", "core_hours": 12.5, "jobs": 7}], "project": [], "owner": []}
        code, out, err, folder = self.via(f"echo '{json.dumps(told)}'", "alice@192.168.1.57", "--days", "30")
        self.assertEqual((0, ""), (code, err))
        self.assertRegex(out, r"(?m)^alice@alpha +12\.5 +7$")
        secret = token.from_key(self.before["manager/node.key"])
        self.assertEqual(secret + "\n", (folder / "said").read_text(encoding="ascii"))
        words = (folder / "words").read_text(encoding="ascii")
        self.assertIn("-- alice@192.168.1.57 wow history --json --token - --days 30\n", words)
        self.assertNotIn(secret, words + out)
        self.via(f"echo '{json.dumps(told)}'", "alpha", "--manager", "manager")
        self.assertIn("-- alpha wow history --json --token - --manager manager\n", (folder / "words").read_text(encoding="ascii"))
        code, out, _, _ = self.via(f"echo '{json.dumps(told)}'", "alpha", "--json")
        self.assertEqual(told, json.loads(out)["history"])

    def test_a_machine_that_does_not_tell_the_history_is_named(self):
        for script, says in (("echo Permission denied >&2; exit 255", "ssh: Permission denied"), ("echo hello", "printed no history"), ("echo '{}'", "printed no history"),
                             ("echo '{\"days\": 1, \"person\": [{}], \"project\": [], \"owner\": []}'", "printed no history")):
            code, _, err, _ = self.via(script, "alice@alpha")
            self.assertEqual((1, True), (code, says in err), err)
        for where in ("-oProxyCommand=reboot", "a b", "", "alice@-x", "alice@"):
            code, _, err = self.world.run("show", self.world.pool, f"--via={where}")
            self.assertEqual((1, True), (code, "USER@HOST" in err), err)
        self.refused("show", self.world.pool, "--days", "3", says="--via USER@HOST")
        self.refused("show", self.world.pool, "--manager", "manager", says="--via USER@HOST")

    def test_show_says_what_is_older_than_it_should_be(self):
        self.assertEqual({True}, {image["current"] for image in self.run_json("show", self.world.pool)["images"]})
        self.world.make_image(content=b"the next system")
        (self.world.pool / "secret").write_text("cd" * 32 + "\n", encoding="ascii")
        _, out, _ = self.world.run("show", self.world.pool)
        self.assertEqual(2, out.count(f"not of the last build: {self.world.typed} stamp {self.world.pool}\n"), out)
        self.assertIn(f"older than what it holds: {self.world.typed} backup {self.world.pool}\n", out)

    def test_no_verb_does_anything_in_a_folder_that_is_half_made_and_each_says_what_goes_on_with_it(self):
        half, steps = self.world.home / "half made", iter(("ca", "manager", "ticket", "managers"))

        def end(name):
            if name == step:
                raise KeyboardInterrupt
        more = ("--at", "manager.example.org", "--at", "second.example.org", "--folder", half)
        for step in steps:
            self.assertEqual(130, self.world.run("create", "half", *more, reached=end)[0])
            before = {path: path.read_bytes() for path in half.rglob("*") if path.is_file()}
            for words in (("show", half), ("ticket", half, "--machines", "3"), ("user", "add", half, f"bob={self.world.key}"), ("admin", "add", half, f"bob={self.world.key}"),
                          ("project", "add", half, "surge", "--says", "We forecast."), ("manager", "add", half, "third"), ("stamp", half), ("backup", half)):
                code, _, err = self.world.run(*words)
                self.assertEqual((1, f"wow pool {words[0]}: {half}: is half made. Type: {self.world.typed} create half --folder '{half}', which goes on where it ended\n"),
                                 (code, err))
                self.assertEqual(before, {path: path.read_bytes() for path in half.rglob("*") if path.is_file()}, words)
        self.assertEqual(["manager", "second"], [row["host"] for row in json.loads(self.world.does("create", "half", "--folder", half, "--json"))["manager"]])

    def test_a_ticket_goes_into_the_volunteers_image_and_into_the_backup(self):
        told = self.run_json("ticket", self.world.pool, "--machines", "3", *UNTIL)
        self.assertIn(f"ticket = {told['ticket']}\n", self.world.conf("for-volunteers/science-config.img"))
        self.assertEqual(1, sum(not ended(ticket) for ticket in self.world.ca()["tickets"]))
        self.assertIn("2099-01-01", self.world.text("START.md"))
        self.assertTrue(self.run_json("show", self.world.pool)["backup"]["current"])
        self.assertEqual(self.before, identity(self.world))

    def test_a_ticket_ends(self):
        first = self.run_json("show", self.world.pool)["tickets"][0]["id"]
        code, out, _ = self.world.run("ticket", self.world.pool, "--end", first)
        self.assertEqual(0, code)
        self.assertIn(f"/usr/lib/wow/ca/wow-ca ticket --end {first} --state /var/lib/wow/ca, in a root shell", out)
        self.assertLess(self.world.ca()["tickets"][0]["not_after"], "2099")
        self.refused("ticket", self.world.pool, "--end", "nosuch", says="no such ticket")
        # wow-ca itself would take it: it has the form of one.
        typo = ("1" if first[0] == "0" else "0") + first[1:]
        self.refused("ticket", self.world.pool, "--end", typo, says="on the manager: /usr/lib/wow/ca/wow-ca ticket --end ID")
        self.assertEqual([first], [ticket["id"] for ticket in self.world.ca()["tickets"]])

    def test_an_ended_ticket_in_the_images_is_told_by_every_verb_that_makes_them_and_by_the_page(self):
        first = self.run_json("show", self.world.pool)["tickets"][0]["id"]
        said = f"ticket {first}, which is in the images, ended on {day_in(0)} and admits nobody. Before you send them: {self.world.typed} ticket {self.world.pool} --machines N"
        self.assertNotIn("WARNING", self.world.does("stamp", self.world.pool))
        self.assertIn(f"The ticket {first} admits 100 machines until {day_in(settings.DAYS)}.", self.world.text("START.md"))
        for words in (("ticket", self.world.pool, "--end", first), ("stamp", self.world.pool), ("user", "add", self.world.pool, f"bob={self.world.key}")):
            self.assertIn(f"WARNING: {said}", self.world.does(*words))
        self.assertIn(f"The ticket {first}, which is in the images, ended on {day_in(0)} and admits nobody.", self.world.text("START.md"))
        self.assertNotIn("WARNING", self.world.does("ticket", self.world.pool, "--machines", "3"))

    def test_a_copy_of_the_manager_s_ca_that_has_no_row_of_a_ticket_is_shown_and_stamped(self):
        self.run_json("ticket", self.world.pool, "--machines", "7", *UNTIL)
        before = self.run_json("show", self.world.pool)["tickets"]
        with sqlite3.connect(self.world.pool / "manager/ca/ca.db") as database:
            database.execute("DELETE FROM tickets WHERE id = ?", (before[1]["id"],))
        database.close()
        self.assertEqual(before, self.run_json("show", self.world.pool)["tickets"])
        self.assertEqual({"id": before[1]["id"], "machines": 7, "used": 0, "not_after": "2099-01-01T23:59:59+00:00"}, before[1])
        self.run_json("stamp", self.world.pool)
        self.assertIn(f"The ticket {before[1]['id']} admits 7 machines until 2099-01-01.", self.world.text("START.md"))

    def people(self, count, size):
        """NAME=FILE words of so many people whose keys have so many bytes."""
        parts = (b"ssh-rsa", b"\1\0\1", b"\0" + b"\xff" * size)
        key = "ssh-rsa " + base64.b64encode(b"".join(len(part).to_bytes(4, "big") + part for part in parts)).decode()
        path = self.world.key.parent / f"rsa-{size}.pub"
        path.write_text(key + " somebody@laptop.example.org\n", encoding="ascii")
        return [f"person{number:04d}={path}" for number in range(count)]

    def test_more_people_than_a_pool_conf_has_room_for_are_refused_before_anything_is_kept(self):
        self.refused("user", "add", self.world.pool, *self.people(100, 512), says="has the longest key, of")
        code, _, err = self.world.run("user", "add", self.world.pool, *self.people(100, 512))
        self.assertRegex(err, r"volunteers' pool.conf: would have \d{5} bytes, and 64512 fit\. 101 people are in it\. person\d{4} has .*ssh-keygen -t ed25519")
        code, _, err = self.world.run("create", "other", "--at", "manager.example.org", *(word for one in self.people(100, 512) for word in ("--admin", one)))
        self.assertEqual((1, True, False), (code, "manager's pool.conf: would have" in err, (self.world.home / "other").exists()), err)

    def test_people_and_projects_and_managers_are_measured_together_and_the_folder_is_never_stuck(self):
        most = next(count for count in range(100, 50, -1) if self.world.run("user", "add", self.world.pool, *self.people(count, 512))[0] == 0)
        self.assertGreater(most, 70)
        says = "s" * 150
        code = 0
        for number in range(50):
            code, _, err = self.world.run("project", "add", self.world.pool, f"project {number}", "--says", says)
            if code:
                break
        self.assertEqual((1, True), (code, "and 64512 fit" in err), err)
        self.refused("project", "add", self.world.pool, "another", "--says", says, says="and 64512 fit")
        self.run_json("ticket", self.world.pool, "--machines", "65000", *UNTIL)
        self.run_json("user", "remove", self.world.pool, "person0000")

    def test_a_ticket_that_names_no_day_ends_as_the_first_one_did(self):
        told = self.run_json("ticket", self.world.pool, "--machines", "3")
        self.assertEqual(day_in(settings.DAYS), told["until"])

    def test_who_ends_a_ticket_is_told_how_an_administrator_ends_it_on_the_manager(self):
        self.run_json("admin", "add", self.world.pool, f"carol={self.world.key}")
        ticket = self.run_json("show", self.world.pool)["tickets"][0]["id"]
        said = self.world.run("ticket", self.world.pool, "--end", ticket)[1]
        self.assertIn(f": ssh carol@manager.example.org wow-ca ticket --end {ticket}\n", said)

    def test_wrong_words_about_tickets(self):
        for words in ((), UNTIL, ("--end", "x", "--machines", "3", *UNTIL), ("--end", "x", *UNTIL)):
            self.refused("ticket", self.world.pool, *words, says="like --machines 20, or --end ID")
        self.refused("ticket", self.world.pool, "--machines", "3", "--until", "2020-01-01", says="over already")
        self.refused("ticket", self.world.pool, "--machines", "70000", *UNTIL, says="65525")
        (self.world.out / "wow-amd64.ova").unlink()
        self.refused("ticket", self.world.pool, "--machines", "3", *UNTIL, says="make image")

    def test_people_come_and_go_and_the_image_follows(self):
        told = self.run_json("user", "add", self.world.pool, f"bob={self.world.key}")
        self.assertEqual({"alice", "bob"}, set(told["users"]))
        conf = self.world.conf("for-volunteers/science-config.img")
        self.assertIn("[user:alice]", conf)
        self.assertIn("[user:bob]", conf)
        self.assertEqual({"bob"}, set(self.run_json("user", "remove", self.world.pool, "alice")["users"]))
        self.assertNotIn("alice]", self.world.conf("for-volunteers/science-config.img"))
        self.refused("user", "remove", self.world.pool, "alice", says="no user of this pool")
        self.world.make_image(content=b"the next system")
        self.refused("user", "remove", self.world.pool, "alice", says=f"before it had made the images: {self.world.typed} stamp {self.world.pool}")
        self.refused("project", "remove", self.world.pool, "surge", says=f"before it had made the images: {self.world.typed} stamp {self.world.pool}")
        self.refused("user", "add", self.world.pool, f"Bob={self.world.key}", says="not a user name")

    def test_who_is_called_as_an_account_of_the_system_is_not_added_and_can_be_removed(self):
        for verb in ("user", "admin"):
            self.refused(verb, "add", self.world.pool, f"backup={self.world.key}", says="add backup: is the name of an account that each machine's system has")
        # Of a pool that was made before anybody looked.
        told = json.loads(self.world.text("pool.json"))
        told["users"] |= {"mail": KEY, "backup": KEY}
        (self.world.pool / "pool.json").write_text(json.dumps(told), encoding="utf-8")
        self.assertEqual({"alice", "backup"}, set(self.run_json("user", "remove", self.world.pool, "mail")["users"]))
        self.assertEqual({"alice", "backup", "bob"}, set(self.run_json("user", "add", self.world.pool, f"bob={self.world.key}")["users"]))

    def test_where_the_change_is_kept_and_the_run_ends_before_the_images_it_is_said_how_to_go_on(self):
        def full(name):
            if name.endswith(".ova"):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "science.ova.new")

        def ended_by_hand(name):
            if name.endswith(".ova"):
                raise KeyboardInterrupt

        # What people do then would be said by no other run: a manager that was taken away keeps its certificate until it is revoked.
        for number, other, end in ((2, "second", full), (3, "third", ended_by_hand)):
            for left, words in (("", ("ticket", "science", "--machines", str(number), *UNTIL)),
                                (f"start {other} from", ("manager", "add", "science", other, "--at", f"{other}.example.org")),
                                (f"wow-ca revoke {other} --manager", ("manager", "remove", "science", other)),
                                ("may log in: alice, bob.", ("user", "add", "science", f"bob={self.world.key}")), ("may log in: alice.", ("user", "remove", "science", "bob")),
                                ("projects: surge.", ("project", "add", "science", "surge", "--says", "We forecast.")),
                                ("projects: none.", ("project", "remove", "science", "surge"))):
                code, _, err = self.world.run(*words, reached=end)
                self.assertEqual((1 if end is full else 130, False, 1), (code, "same command" in err, err.count("\n")), err)
                told, go_on = err.partition("The change is kept. ")[2].rsplit("on with: ", 1)
                self.assertEqual((f"{self.world.typed} stamp {self.world.pool}\n", True), (go_on, told.endswith("When that is mended, go " if end is full else "Go ")), err)
                self.assertEqual((bool(left), True), (told.startswith("When the images are made: "), left in told), err)
                self.world.does(*err.strip().rpartition(f": {self.world.typed} ")[2].split())
                conf = self.world.conf("for-volunteers/science-config.img")
                for word, stands in ((f"{other}.example.org", "manager"), ("[user:bob]", "user"), ("[project:surge]", "project")):
                    self.assertEqual(stands in words and "add" in words, word in conf, words)
                self.assertTrue(self.run_json("show", self.world.pool)["backup"]["current"], words)
            tickets = json.loads(self.world.text("tickets.json"))
            self.assertEqual((number, number), (len(tickets), tickets[-1]["machines"]))
            self.assertIn(tickets[-1]["ticket"], conf)

    def test_a_new_image_is_stamped_with_the_same_identity(self):
        self.world.make_image(content=b"the next system")
        before = self.world.conf("for-volunteers/science-config.img")
        self.run_json("stamp", self.world.pool)
        self.assertIn(b"the next system", (self.world.pool / "for-volunteers/science.ova").read_bytes())
        self.assertEqual(before, self.world.conf("for-volunteers/science-config.img"))
        self.assertEqual(self.before, identity(self.world))

    def test_an_image_for_laptops_is_made_later_and_kept_up_to_date_from_then_on(self):
        self.assertIn("stamp", self.world.text("START.md").partition("For laptops")[2].partition("--login")[0])
        told = self.run_json("stamp", self.world.pool, "--login")
        self.assertEqual(FILES | LOGIN, {image["file"] for image in told["images"]})
        self.assertIn("to those with a laptop", self.world.text("START.md"))
        self.run_json("user", "add", self.world.pool, f"bob={self.world.key}")
        self.assertIn("[user:bob]", self.world.conf("for-scientists/science-login-config.img"))
        self.assertEqual(self.before, identity(self.world))

    def test_files_for_arm64_are_made_later_and_kept_up_to_date_from_then_on(self):
        self.assertIn("`make image ARCH=arm64`", self.world.text("START.md"))
        self.assertIn("pool stamp", self.world.text("START.md").partition("Apple's chips")[2].partition("--arm64")[0])
        before = {name: (self.world.pool / name).read_bytes() for name in self.world.names()}
        code, _, err = self.world.run("stamp", self.world.pool, "--arm64", "--at", "elsewhere.example.org")
        self.assertEqual((1, True), (code, f"holds no image for arm64. Type: cd {self.world.clone.root} && make image ARCH=arm64" in err), err)
        self.assertEqual(before, {name: (self.world.pool / name).read_bytes() for name in self.world.names()}, "nothing is changed then")
        self.world.make_arm()
        told = self.run_json("stamp", self.world.pool, "--arm64", "--login")
        logins = {"for-scientists/science-login-arm64.qcow2", "for-scientists/science-login-arm64.utm.zip"}
        self.assertEqual(FILES | ARM | LOGIN | logins, {image["file"] for image in told["images"]})
        for name in ("for-volunteers/science-arm64", "for-scientists/science-login-arm64"):
            self.assertIn(f"`{name}.utm.zip`", self.world.text("START.md"))
            self.assertIn(f"`{name}.qcow2`", self.world.text("START.md"))
        self.run_json("user", "add", self.world.pool, f"bob={self.world.key}")
        self.assertIn("[user:bob]", self.conf_of("for-volunteers/science-arm64.qcow2"))
        with zipfile.ZipFile(self.world.pool / "for-volunteers/science-arm64.utm.zip") as archive:
            self.assertEqual(["science-arm64.utm/config.plist", "science-arm64.utm/Data/wow.qcow2"], archive.namelist())
            archive.extract("science-arm64.utm/Data/wow.qcow2", self.world.home)
        self.assertIn("[user:bob]", self.conf_of(self.world.home / "science-arm64.utm/Data/wow.qcow2"))
        self.assertEqual(self.before, identity(self.world))

    def test_what_is_wrong_with_the_files_for_arm64_is_named(self):
        self.world.make_arm(release="0.0.1")
        code, _, err = self.world.run("stamp", self.world.pool, "--arm64")
        self.assertEqual((1, True), (code, "is of release 0.0.1" in err), err)
        self.world.make_arm()
        (self.world.arm_out / "wow-arm64.utm/config.plist").write_text("<plist>\n", encoding="ascii")
        code, _, err = self.world.run("stamp", self.world.pool, "--arm64")
        self.assertEqual((1, True), (code, "is not what SHA256SUMS beside it says" in err and "make image ARCH=arm64" in err), err)

    def test_without_the_image_for_arm64_nothing_is_changed_where_somebody_gets_it(self):
        self.world.make_arm()
        self.run_json("stamp", self.world.pool, "--arm64")
        shutil.rmtree(self.world.arm_out)
        for words in (("user", "remove", self.world.pool, "alice"), ("ticket", self.world.pool, "--machines", "3", *UNTIL), ("manager", "add", self.world.pool, "second"),
                      ("project", "add", self.world.pool, "surge", "--says", "We forecast.")):
            self.refused(*words, says="make image ARCH=arm64")

    def conf_of(self, disk):
        """pool.conf on a disk that holds a whole machine."""
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            return inplace.state_of(onedisk.look(self.world.pool / disk, scratch), scratch).pool_conf.decode()

    def test_nothing_is_stamped_when_nothing_has_changed(self):
        inodes = {name: os.stat(self.world.pool / name).st_ino for name in FILES}
        self.run_json("stamp", self.world.pool)
        self.assertEqual(inodes, {name: os.stat(self.world.pool / name).st_ino for name in FILES})

    def test_a_disk_that_a_machine_was_started_from_is_never_written_over(self):
        for name in ("for-manager/science-manager.qcow2", "for-volunteers/science.qcow2"):
            with open(self.world.pool / name, "ab") as disk:
                disk.write(b"somebody's home")
        # A start formats the home's partition, which begins behind 19 MiB; a machine's VHDX is told by that.
        vhdx = self.world.pool / "for-volunteers/science.vhdx"
        subprocess.run(["qemu-io", "-f", "vhdx", "-c", f"write -P 7 {19 << 20} 4k", vhdx], check=True, stdout=subprocess.DEVNULL)
        kept = vhdx.read_bytes()
        self.world.make_image(content=b"the next system")
        for words in (("create", "science"), ("ticket", self.world.pool, "--machines", "3", *UNTIL), ("stamp", self.world.pool, "--replace-manager")):
            code, out, _ = self.world.run(*words)
            self.assertEqual((0, 3), (code, out.count("stays as it is: a machine was started from it")), out)
            self.assertEqual(kept, vhdx.read_bytes())
            for name in ("for-manager/science-manager.qcow2", "for-volunteers/science.qcow2"):
                self.assertTrue((self.world.pool / name).read_bytes().endswith(b"somebody's home"))
        self.assertIn(b"the next system", (self.world.pool / "for-volunteers/science.ova").read_bytes())

    def test_a_disk_that_a_machine_runs_from_or_that_is_damaged_is_never_written_over_either(self):
        vhdx = self.world.pool / "for-volunteers/science.vhdx"
        inode = vhdx.stat().st_ino
        with subprocess.Popen(["qemu-io", "-f", "vhdx", vhdx], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as machine:
            machine.stdin.write(b"length\n")
            machine.stdin.flush()
            machine.stdout.readline()
            code, out, _ = self.world.run("ticket", self.world.pool, "--machines", "3", *UNTIL)
            machine.stdin.close()
        self.assertEqual((0, inode, True), (code, vhdx.stat().st_ino, "cannot be seen" in out and "is in use: a machine runs from it" in out), out)
        with open(vhdx, "r+b") as disk:
            # Both headers, behind the file's first 64 KiB (MS-VHDX 2.2.2): no program opens it any more.
            disk.seek(64 << 10)
            disk.write(bytes(128 << 10))
        code, out, _ = self.world.run("stamp", self.world.pool)
        self.assertEqual((0, inode, 1), (code, vhdx.stat().st_ino, out.count("cannot be seen")), out)
        vhdx.unlink()
        self.assertEqual(0, self.world.run("stamp", self.world.pool)[0])
        self.assertEqual(self.conf_of("for-volunteers/science.vhdx"), self.world.conf("for-volunteers/science-config.img"))

    def test_a_vhdx_has_the_configuration_in_it_and_a_new_ticket_comes_into_it(self):
        def inside():
            raw = self.world.home / "raw"
            subprocess.run(["qemu-img", "convert", "-O", "raw", self.world.pool / "for-volunteers/science.vhdx", raw], check=True)
            return subprocess.run(["mtype", "-i", f"{raw}@@{3 << 20}", "::/pool.conf"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(self.world.conf("for-volunteers/science-config.img"), inside())
        self.assertEqual("New-VM\n", self.world.text("for-volunteers/science.ps1"))
        before = inside()
        self.run_json("ticket", self.world.pool, "--machines", "3", *UNTIL)
        self.assertEqual(self.world.conf("for-volunteers/science-config.img"), inside())
        self.assertNotEqual(before, inside())
        self.assertEqual(0o600, (self.world.pool / "for-volunteers/science.vhdx").stat().st_mode & 0o777)

    def test_the_manager_moves(self):
        self.run_json("stamp", self.world.pool, "--at", "other.example.org:5000")
        self.assertIn("bootstrap = udp:other.example.org:5000\n", self.world.conf("for-volunteers/science-config.img"))
        self.assertIn("port = 5000\n", self.world.conf("for-manager/science-manager-config.img"))
        self.assertIn("other.example.org", self.world.text("START.md"))
        self.refused("stamp", self.world.pool, "--at", "10.9.9.9", says="--private")
        self.refused("stamp", self.world.pool, "--at", "a_b.example.org", says="--at a_b.example.org")

    def test_where_one_option_of_stamp_is_wrong_none_counts(self):
        for words, says in ((("--keyboard", "xx"), "--keyboard"), (("--keyboard", "de", "--origins", "http://a.example"), "--origins")):
            self.refused("stamp", self.world.pool, "--at", "third.example.org", "--login", *words, says=says)

    def test_a_ca_that_has_admitted_machines_gets_no_second_manager_by_mistake(self):
        self.served()
        self.refused("create", "science", says="--replace-manager")
        former = (self.world.pool / "for-manager/science-manager.ova").read_bytes()
        code, out, _ = self.world.run("stamp", self.world.pool)
        self.assertEqual((0, True), (code, "has admitted 1 machines: a manager runs with it" in out), out)
        self.assertEqual(former, (self.world.pool / "for-manager/science-manager.ova").read_bytes())
        told = self.run_json("ticket", self.world.pool, "--machines", "3", *UNTIL)
        self.assertIn(told["ticket"], self.world.conf("for-volunteers/science-config.img"))
        self.assertEqual(former, (self.world.pool / "for-manager/science-manager.ova").read_bytes())
        self.run_json("stamp", self.world.pool, "--replace-manager")
        self.assertNotEqual(former, (self.world.pool / "for-manager/science-manager.ova").read_bytes())


class Words(unittest.TestCase):
    def command(self, *words):
        return subprocess.run([ROOT / "appliance/wow", "pool", *words], capture_output=True, text=True, check=False)

    def test_wow_hands_over_to_the_clone(self):
        done = self.command("show", "/nowhere/at/all")
        self.assertEqual((1, True), (done.returncode, "no folder of a pool" in done.stderr), done.stderr)

    def test_each_verb_explains_itself_and_has_json(self):
        for verb in ("create", "ticket", "user", "manager", "stamp", "show", "upgrade", "backup", "restore"):
            done = self.command(verb, "--help")
            self.assertEqual((0, True), (done.returncode, "--json" in done.stdout), verb)
            self.assertIn(verb, self.command("--help").stdout + self.command().stdout)

    def test_wrong_usage_is_two(self):
        for words in (("make",), ("create",), ("create", "a", "--colour"), ("show",), ("user", "change", "x", "y"), ("create", "a", "--machines", "many")):
            self.assertEqual(2, self.command(*words).returncode, words)

    def test_what_cannot_be_printed_is_told_once(self):
        world = World(self)
        world.copied()
        for words, says in ((("show", "--help"), "wow pool: what it prints cannot be written: No space left on device."), (("show", world.pool), "wow pool show: No space left on device.")):
            for environment in ({}, {"PYTHONUNBUFFERED": "1"}):
                with open("/dev/full", "wb") as full:
                    done = subprocess.run([ROOT / "appliance/pool/command", *words], env={**os.environ, "PYTHONUNBUFFERED": "", **environment}, stdout=full, stderr=subprocess.PIPE,
                                          text=True, check=False)
                self.assertEqual((1, 1, True), (done.returncode, done.stderr.count("\n"), done.stderr.startswith(says)), done.stderr)

    def test_help_of_wow_names_the_verb(self):
        done = subprocess.run([sys.executable, ROOT / "appliance/node/root/usr/bin/wow", "help"], capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"(?m)^  pool +on the building machine")


if __name__ == "__main__":
    unittest.main()
