"""`wow pool manager`: a second manager's keys, the signed list, and everything that they go into."""

import json
import subprocess
import unittest
from unittest import mock

from world import World, identity

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
        self.change("remove", self.world.pool, "second")
        self.assertFalse((self.world.pool / "managers/second").exists())
        self.assertTrue(disk.exists(), "that machine may run from it")
        self.assertNotIn("second", "".join(one["file"] for one in json.loads(self.world.run("show", self.world.pool, "--json")[1])["images"]))
        self.refused("add", self.world.pool, "second", says="was another machine's name here")

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

    def test_each_list_has_a_higher_number(self):
        numbers = []
        for name in ("second", "third"):
            self.add(name)
            numbers.append(int.from_bytes(self.on("for-volunteers/science-config.img", "managers.notice")[5:13], "big"))
        self.assertLess(*numbers)

    def test_an_address_is_chosen_or_given_and_never_a_taken_one(self):
        self.assertEqual("10.128.9.9", self.add("second", "--address", "10.128.9.9")["manager"][1]["address"])
        self.assertEqual("10.128.0.2", self.add("third")["manager"][2]["address"])
        self.refused("add", self.world.pool, "fourth", "--address", "10.128.0.2", says="is the address of third")
        for wrong in ("10.9.9.9", "10.128.0.0", "10.128.255.254", "ten"):
            self.refused("add", self.world.pool, "fourth", "--address", wrong, says="give a host address of 10.128.0.0/16")

    def test_wrong_words_change_nothing(self):
        for name, says in (("manager", "first manager's name"), ("Second", "not a DNS label"), ("a.b", "not a DNS label")):
            self.refused("add", self.world.pool, name, says=says)
        self.refused("add", self.world.pool, "second", "--at", "10.9.9.9", says="--private")
        self.refused("add", self.world.pool, "second", "--at", "manager.example.org", says="another manager's place")
        self.refused("remove", self.world.pool, "manager", says="has the CA")
        self.refused("remove", self.world.pool, "second", says="no manager beside the first")
        self.add()
        self.refused("add", self.world.pool, "second", says="is a manager of this pool")

    def test_a_pool_without_others_is_kept_as_a_former_clone_knows_it(self):
        self.assertNotIn("managers", json.loads(self.world.text("pool.json")))
        self.add()
        self.assertEqual(["second"], [one["host"] for one in json.loads(self.world.text("pool.json"))["managers"]])

    def test_a_second_manager_s_certificate_is_renewed_with_the_first_one_s(self):
        self.add()
        self.assertEqual(0, self.world.run("stamp", self.world.pool)[0])
        self.assertEqual(2, sum(row["role"] == "manager" for row in self.world.ca()["certificates"]))


if __name__ == "__main__":
    unittest.main()
