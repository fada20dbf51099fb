"""`wow pool manager`: a second manager's keys, the signed list, and everything that they go into."""

import json
import subprocess
import unittest
from unittest import mock

from world import World, identity

from pool import stamping
from pool.node import agreed, token

OTHER = {f"for-manager-second/science-manager-second{end}" for end in (".ova", ".qcow2", "-config.img", "-config.iso")}


class Managers(unittest.TestCase):
    def setUp(self):
        self.world = World(self)
        self.world.copied()
        self.before = identity(self.world)

    def change(self, *words):
        """What `wow pool manager` tells."""
        code, out, err = self.world.run("manager", *words, "--json")
        self.assertEqual(0, code, err)
        return json.loads(out)

    def add(self, name="second", *more):
        """The same, for another manager."""
        return self.change("add", self.world.pool, name, "--at", f"{name}.example.org", *more)

    def refused(self, *words, says):
        """A command that changes nothing."""
        kept = {name: (self.world.pool / name).read_bytes() for name in self.world.names()}
        code, _, err = self.world.run("manager", *words)
        self.assertEqual((1, 1), (code, err.count("\n")), err)
        self.assertIn(says, err)
        self.assertEqual(kept, {name: (self.world.pool / name).read_bytes() for name in self.world.names()})

    def on(self, disk, name):
        """A file of a configuration disk, None if it has none."""
        done = subprocess.run(["mcopy", "-n", "-i", self.world.pool / disk, f"::/{name}", "-"], capture_output=True, check=False)
        return done.stdout if done.returncode == 0 else None

    def listed(self, disk="for-volunteers/science-config.img"):
        """The list on a configuration disk: what follows the signature, whose length stands at 13."""
        notice = self.on(disk, "managers.notice")
        return notice[14 + notice[13]:].decode("ascii")

    def test_a_second_manager_has_keys_and_the_list_but_no_ca(self):
        told = self.add()
        self.assertEqual([("manager", "10.128.0.1", True), ("second", "10.128.0.2", False)], [(row["host"], row["address"], row["ca"]) for row in told["manager"]])
        self.assertEqual("wow-managers 1\nmanager 10.128.0.1 ca\nsecond 10.128.0.2\n", self.listed())
        disk = "for-manager-second/science-manager-second-config.img"
        self.assertEqual(self.on("for-volunteers/science-config.img", "managers.notice"), self.on(disk, "managers.notice"))
        self.assertEqual((self.world.pool / "managers/second/node.key").read_bytes(), self.on(disk, "manager/node.key"))
        self.assertIsNone(self.on(disk, "manager/ca/ca.key"))
        conf = self.world.conf(disk)
        for line in ("role = manager\n", "bootstrap = udp:manager.example.org:4433\n"):
            self.assertIn(line, conf)
        self.assertNotIn("ticket", conf)
        self.assertLessEqual(OTHER, self.world.names())
        self.assertEqual(self.before, identity(self.world))

    def test_machines_find_the_pool_by_both_places_and_the_backup_has_both_keys(self):
        self.add()
        self.assertIn("bootstrap = udp:manager.example.org:4433 udp:second.example.org:4433\n", self.world.conf("for-volunteers/science-config.img"))
        code, out, _ = self.world.run("show", self.world.pool)
        self.assertEqual(0, code)
        self.assertRegex(out, r"manager +second 10\.128\.0\.2, at second\.example\.org:4433")
        self.assertNotIn("older than what it holds", out)

    def test_a_first_manager_that_has_not_run_gets_the_list_and_one_that_runs_keeps_its_files(self):
        self.add()
        self.assertEqual(self.listed(), self.listed("for-manager/science-manager-config.img"))
        self.assertIsNotNone(self.on("for-manager/science-manager-config.img", "manager/ca/ca.key"))

    def test_each_manager_s_figures_have_a_token_of_their_own(self):
        self.add()
        for words, key in (((), "manager/node.key"), (("--manager", "manager"), "manager/node.key"), (("--manager", "second"), "managers/second/node.key")):
            code, out, _ = self.world.run("show", self.world.pool, "--token", *words)
            self.assertEqual((0, token.from_key((self.world.pool / key).read_bytes()) + "\n"), (code, out))
        code, _, err = self.world.run("show", self.world.pool, "--token", "--manager", "third")
        self.assertEqual((1, True), (code, "One of: manager, second" in err), err)

    def test_whose_key_may_be_revoked_is_not_made_a_manager_again_by_it(self):
        self.add()
        disk = self.world.pool / "for-manager-second/science-manager-second.qcow2"
        certificate = (self.world.pool / "managers/second/node.pem").read_bytes()
        code, out, err = self.world.run("manager", "remove", self.world.pool, "second")
        self.assertEqual(0, code, err)
        self.assertFalse((self.world.pool / "managers/second").exists())
        # A CA that was never shown it needs the certificate to revoke it.
        self.assertEqual(certificate, (self.world.pool / "for-manager-second/second.pem").read_bytes())
        self.assertIn("for-manager-second/second.pem", out + err)
        self.assertTrue(disk.exists(), "that machine may run from it")
        self.assertNotIn("second", "".join(one["file"] for one in json.loads(self.world.run("show", self.world.pool, "--json")[1])["images"]))
        self.refused("add", self.world.pool, "second", says="was another machine's name here")

    def test_an_administrator_is_told_how_to_revoke_who_is_no_manager_any_more(self):
        self.add()
        self.world.does("admin", "add", self.world.pool, f"carol={self.world.key}")
        self.assertIn("ssh carol@manager.example.org wow-ca revoke second --manager. If", "".join(self.world.run("manager", "remove", self.world.pool, "second")[1:]))

    def test_administrators_log_in_to_each_manager_and_ask_the_ca_on_the_first(self):
        self.world.does("admin", "add", self.world.pool, f"carol={self.world.key}")
        self.add()
        self.assertRegex(self.world.conf("for-manager/science-manager-config.img"), r"\[user:carol\]\n.+\nadmin = yes\n")
        self.assertRegex(self.world.conf("for-manager-second/science-manager-second-config.img"), r"\[user:carol\]\n(?!.+\nadmin)")
        said = "".join(self.world.run("admin", "remove", self.world.pool, "carol")[1:])
        self.assertIn("the same for the other managers, one at a time, from for-manager-second", said)
        self.assertNotIn("carol", self.world.conf("for-manager-second/science-manager-second-config.img"))

    def test_a_pool_has_so_many_managers_at_most(self):
        with mock.patch.object(agreed, "MOST_MANAGERS", 2):
            self.add()
            self.refused("add", self.world.pool, "third", says="one more than the 2 managers")

    def test_who_is_taken_off_the_list_is_on_no_list_any_more(self):
        self.add()
        self.add("third")
        self.assertEqual("wow-managers 1\nmanager 10.128.0.1 ca\nsecond 10.128.0.2\nthird 10.128.0.3\n", self.listed())
        told = self.change("remove", self.world.pool, "second")
        self.assertEqual(["manager", "third"], [row["host"] for row in told["manager"]])
        self.assertEqual("wow-managers 1\nmanager 10.128.0.1 ca\nthird 10.128.0.3\n", self.listed())
        self.assertNotIn("second", self.world.conf("for-volunteers/science-config.img"))

    def test_the_pool_hears_that_the_last_other_manager_was_taken_off(self):
        self.add()
        self.change("remove", self.world.pool, "second")
        self.assertEqual("wow-managers 1\nmanager 10.128.0.1 ca\n", self.listed())

    def number(self):
        """The number of the list on the volunteers' configuration disk."""
        return int.from_bytes(self.on("for-volunteers/science-config.img", "managers.notice")[5:13], "big")

    def test_the_list_is_signed_anew_and_counts_on_from_the_newest_that_the_pool_has(self):
        self.add()
        former, listed = self.number(), self.listed()
        newest = self.world.home / "notice-2"
        newest.write_bytes((self.world.pool / "managers.notice").read_bytes())
        self.change("sign", self.world.pool)
        self.change("sign", self.world.pool, "--after", newest)
        self.assertEqual((True, listed), (self.number() >= former + 2, self.listed()))
        newest.write_bytes(newest.read_bytes()[:-1] + b"x")
        self.refused("sign", self.world.pool, "--after", newest, says="is no list of managers that this CA signed")
        self.refused("sign", self.world.pool, "--today", "2020-01-01", says="--today is '2020-01-01'")
        self.refused("sign", self.world.pool, "second", says="is no word of sign")
        self.refused("add", self.world.pool, says="is missing")

    def test_each_list_has_a_higher_number(self):
        numbers = []
        for name in ("second", "third"):
            self.add(name)
            numbers.append(self.number())
        self.assertLess(*numbers)

    def test_an_address_is_chosen_or_given_and_never_a_taken_one(self):
        self.assertEqual("10.128.9.9", self.add("second", "--address", "10.128.9.9")["manager"][1]["address"])
        self.assertEqual("10.128.0.2", self.add("third")["manager"][2]["address"])
        self.refused("add", self.world.pool, "fourth", "--address", "10.128.0.2", says="is the address of third")
        for wrong in ("10.9.9.9", "10.128.0.0", "10.128.255.254", "ten"):
            self.refused("add", self.world.pool, "fourth", "--address", wrong, says="give a host address of 10.128.0.0/16")

    def test_a_block_of_addresses_is_kept_for_managers_on_every_machine(self):
        self.add()
        self.world.run("stamp", self.world.pool, "--login")
        for disk in ("for-manager/science-manager", "for-manager-second/science-manager-second", "for-volunteers/science", "for-scientists/science-login"):
            self.assertIn("reserved = 10.128.0.1-10.128.0.8\n", self.world.conf(f"{disk}-config.img"))

    def test_a_small_subnet_keeps_a_quarter_for_managers_and_says_so_when_they_are_given(self):
        code, _, err = self.world.run("create", "small", "--at", "manager.example.org", "--subnet", "10.0.0.0/28", "--machines", "10")
        self.assertEqual(0, code, err)
        small = self.world.home / "small"
        for name, address in (("second", "10.0.0.2"), ("third", "10.0.0.3")):
            self.assertEqual(address, self.change("add", small, name, "--at", f"{name}.example.org")["manager"][-1]["address"])
        code, _, err = self.world.run("manager", "add", small, "fourth")
        self.assertEqual((1, True), (code, "the addresses 10.0.0.1-10.0.0.3: are all somebody's" in err), err)

    def made_before(self):
        """The pool as a former clone made it, which kept no addresses for managers; its CA's list, with a machine and one whose certificate has ended."""
        told = json.loads(self.world.text("pool.json"))
        del told["reserved"]
        (self.world.pool / "pool.json").write_text(json.dumps(told), encoding="utf-8")
        listed = self.world.ca()
        row = listed["certificates"][0]
        listed["certificates"] += [{**row, "host": host, "address": address, "role": "worker", "status": status} for host, address, status in
                                   (("alpha", "10.128.0.2", "valid"), ("beta", "10.128.0.3", "expired"), ("gamma", "10.128.0.4", "valid"))]
        return listed

    def given(self, listed):
        """A file with that list."""
        path = self.world.home / "list.json"
        path.write_text(listed if isinstance(listed, str) else json.dumps(listed), encoding="utf-8")
        return ("--certificates", path)

    def test_a_pool_that_kept_no_addresses_takes_none_before_the_ca_was_asked(self):
        listed = self.made_before()
        self.refused("add", self.world.pool, "second", says="without addresses for managers")
        self.assertEqual("10.128.0.3", self.add("second", *self.given(listed))["manager"][1]["address"])
        self.assertEqual("10.128.0.5", self.add("third", *self.given(listed))["manager"][2]["address"])
        self.assertNotIn("reserved", self.world.conf("for-volunteers/science-config.img"))

    def test_no_address_is_taken_that_a_living_certificate_names(self):
        known = self.given(self.made_before())
        self.refused("add", self.world.pool, "second", "--address", "10.128.0.4", *known, says="is the address of gamma")
        self.refused("add", self.world.pool, "alpha", *known, says="was another machine's name here")

    def test_the_list_of_a_ca_that_renewed_its_certificate_is_this_pool_s_still(self):
        listed = self.made_before()
        listed["not_after"] = "2050-01-01T00:00:00+00:00"
        self.refused("add", self.world.pool, "second", *self.given({**listed, "subnet": "10.0.0.0/16"}), says="is another pool's")
        other = [{**row, "key": "0" * 64} for row in listed["certificates"]]
        self.refused("add", self.world.pool, "second", *self.given({**listed, "certificates": other}), says="is another pool's")
        self.assertEqual("10.128.0.3", self.add("second", *self.given(listed))["manager"][1]["address"])

    def test_a_run_that_the_power_ended_is_gone_on_with_or_says_how(self):
        def power(name):
            if name.endswith(".ova"):
                raise SystemExit

        with self.assertRaises(SystemExit):
            self.world.run("manager", "add", self.world.pool, "second", "--at", "second.example.org", reached=power)
        self.refused("add", self.world.pool, "second", "--at", "second.example.org", says=f"Where a run was ended before it had made the images: {self.world.typed} stamp {self.world.pool}")
        self.world.does("stamp", self.world.pool)
        self.assertLessEqual(OTHER, self.world.names())
        code, _, err = self.world.run("manager", "add", self.world.pool, "second")
        self.assertEqual((1, False), (code, " pool stamp" in err), err)
        with mock.patch.object(stamping.Stamped, "forget", side_effect=SystemExit), self.assertRaises(SystemExit):
            self.world.run("manager", "remove", self.world.pool, "second")
        self.assertTrue((self.world.pool / "managers/second").exists())
        self.change("remove", self.world.pool, "second")
        self.assertEqual((False, True), ((self.world.pool / "managers/second").exists(), (self.world.pool / "for-manager-second/second.pem").exists()))
        self.refused("remove", self.world.pool, "second", says="is no manager beside the first")

    def test_an_address_of_the_block_that_was_given_by_hand_where_the_ca_is_is_passed_over(self):
        listed = self.world.ca()
        listed["certificates"].append({**listed["certificates"][0], "host": "files", "address": "10.128.0.2", "role": "worker"})
        self.assertEqual("10.128.0.3", self.add("second", *self.given(listed))["manager"][1]["address"])

    def test_an_address_outside_of_the_block_that_nobody_looked_up_is_taken_with_a_warning(self):
        warned = "may be a machine's, which would lose it"
        for name, address, more, is_warned in (("second", "10.128.0.4", (), False), ("third", "10.128.9.9", (), True),
                                               ("fourth", "10.128.9.10", self.given(self.world.ca()), False)):
            code, out, err = self.world.run("manager", "add", self.world.pool, name, "--address", address, *more)
            self.assertEqual((0, is_warned), (code, warned in out), out + err)

    def test_what_is_no_list_of_this_ca_is_refused(self):
        for listed, says in (("", "is not what the CA printed"), ("[]", "is not what the CA printed"), ({**self.world.ca(), "pool": "other"}, "is another pool's"),
                             ({**self.world.ca(), "certificates": [{"status": "valid"}]}, "is not what the CA printed")):
            self.refused("add", self.world.pool, "second", *self.given(listed), says=says)
        self.refused("add", self.world.pool, "second", "--certificates", self.world.home / "absent", says="No such file")

    def test_wrong_words_change_nothing(self):
        for name, says in (("manager", "first manager's name"), ("Second", "not a DNS label"), ("a.b", "not a DNS label")):
            self.refused("add", self.world.pool, name, says=says)
        self.refused("add", self.world.pool, "second", "--at", "10.9.9.9", says="--private")
        self.refused("add", self.world.pool, "second", "--at", "manager.example.org", says="another manager's place")
        self.refused("remove", self.world.pool, "manager", says="has the CA")
        self.refused("remove", self.world.pool, "second", says="no manager beside the first")
        self.add()
        self.refused("add", self.world.pool, "second", says="is a manager of this pool")

    def test_the_first_manager_does_not_move_to_the_place_of_another_one(self):
        self.add()
        kept = self.world.text("pool.json")
        code, _, err = self.world.run("stamp", self.world.pool, "--at", "Second.example.org:4433")
        self.assertEqual((1, "wow pool stamp: --at second.example.org:4433: is another manager's place. Each has its own\n", kept), (code, err, self.world.text("pool.json")))
        self.world.does("stamp", self.world.pool, "--at", "manager.example.org")

    def test_a_pool_without_others_is_kept_as_a_former_clone_knows_it(self):
        self.assertNotIn("managers", json.loads(self.world.text("pool.json")))
        self.add()
        self.assertEqual(["second"], [one["host"] for one in json.loads(self.world.text("pool.json"))["managers"]])

    def test_a_second_manager_s_certificate_is_renewed_with_the_first_one_s(self):
        self.add()
        self.world.does("stamp", self.world.pool)
        self.assertEqual(2, sum(row["role"] == "manager" for row in self.world.ca()["certificates"]))


if __name__ == "__main__":
    unittest.main()
