import json
import os
import re
import shutil
import subprocess
import time
import unittest
from unittest import mock

from world import ROOT, World, wow_ca

from pool import backup, opening, signing

SOURCES = ROOT / "ca-service/CaService"
NAMED = re.compile(r'Path\.Combine\((?:\w*[fF]older), \$?"([^"]+)"\)|Name = "(ca\.[a-z]+)";')
"""A file of the CA's folder where wow-ca's sources name it."""


class Manager(unittest.TestCase):
    """A pool and its manager, whose CA's folder goes its own way after the first start."""

    def setUp(self):
        self.world = World(self)
        self.told = self.world.copied()
        self.ca = self.world.home / "copied"
        shutil.copytree(self.world.pool / "manager/ca", self.ca)

    def rekey(self):
        """The pool was made with key 1."""
        self.wow_ca("rekey")

    def wow_ca(self, *words, folder=None):
        done = subprocess.run([wow_ca(), *words, "--state", folder or self.ca], check=False, capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stdout

    def lose_and_restore(self, key=None):
        copy = self.world.home / "copy.age"
        copy.write_bytes((self.world.pool / "backup.age").read_bytes())
        self.world.pool.rename(self.world.home / f"lost-{len(os.listdir(self.world.home))}")
        code, out, err = self.world.run("restore", copy, typed=f"{key or self.told['recovery_key']}\n")
        self.assertEqual((0, ""), (code, err))
        return out


class Kept(Manager):
    def test_the_manager_s_key_is_in_no_file_but_the_sealed_ones_and_comes_back(self):
        self.wow_ca("publish", "--none")
        self.rekey()
        key = (self.ca / "stack-2.key").read_bytes()
        code, out, err = self.world.run("backup", self.world.pool, "--ca", self.ca)
        self.assertEqual((0, ""), (code, err))
        self.assertIn("stack-2.key of the manager is sealed", out)
        secret = key.split(b"\n")[1]
        self.assertEqual([], [name for name in self.world.names() if secret in (self.world.pool / name).read_bytes()])
        self.assertIn("Key 2 of the manager", self.lose_and_restore())
        ca = self.world.pool / "manager/ca"
        self.assertEqual(key, (ca / "stack-2.key").read_bytes())
        self.assertEqual((0o600, os.getuid()), ((ca / "stack-2.key").stat().st_mode & 0o777, (ca / "stack-2.key").stat().st_uid))
        for name in ("keys.notice", "stack.notice"):
            self.assertEqual((self.ca / name).read_bytes(), (ca / name).read_bytes())
        self.assertEqual(["stack-2.key"], [path.name for path in ca.glob("stack-*.key")])
        self.wow_ca("publish", "--none", folder=ca)
        self.wow_ca("rekey", folder=ca)

    def test_every_backup_after_it_has_it_too(self):
        self.rekey()
        self.world.run("backup", self.world.pool, "--ca", self.ca)
        self.world.does("ticket", self.world.pool, "--machines", "3", "--until", "2099-01-01")
        self.assertIn("Key 2", self.lose_and_restore())
        self.assertIn("Key 2", self.lose_and_restore())

    def test_an_old_backup_comes_back_and_says_what_follows(self):
        out = self.lose_and_restore()
        self.assertIn("wow-ca rekey", out)
        self.assertIn("--ca COPY", out)
        self.wow_ca("rekey", folder=self.world.pool / "manager/ca")

    def test_another_recovery_key_wants_the_manager_s_files_once_more(self):
        self.rekey()
        self.world.run("backup", self.world.pool, "--ca", self.ca)
        before = (self.world.pool / "backup.age").read_bytes()
        code, _, err = self.world.run("backup", self.world.pool, "--new-key")
        self.assertEqual((1, True), (code, before == (self.world.pool / "backup.age").read_bytes()))
        self.assertIn("--ca DIR", err)
        code, out, _ = self.world.run("backup", self.world.pool, "--new-key", "--ca", self.ca)
        self.assertEqual(0, code)
        self.assertIn("Key 2", self.lose_and_restore(re.search(f"{backup.PREFIX}[0-9A-Z]+", out).group()))

    def test_a_new_recovery_key_that_dies_on_the_way_leaves_the_former_backup_or_none_that_seems_to_be_one(self):
        self.rekey()
        self.world.does("backup", self.world.pool, "--ca", self.ca)
        before = {name: (self.world.pool / name).read_bytes() for name in ("authority.age", "backup.age", "backup.json")}
        shown, sealed = [], backup.closed

        def closed(*words):
            shown.append(words)
            if len(shown) == 2:
                raise KeyboardInterrupt
            sealed(*words)

        for where in (mock.patch.object(backup, "closed", closed), mock.patch.object(opening, "show_key", side_effect=KeyboardInterrupt)):
            with where:
                self.assertEqual(130, self.world.run("backup", self.world.pool, "--new-key", "--ca", self.ca)[0])
            self.assertEqual(before, {name: (self.world.pool / name).read_bytes() for name in before})
        # Between the two files, when the key is told: neither key opens all, so no backup counts.
        rename = os.rename

        def power(source, target):
            if target == self.world.pool / "authority.age":
                raise KeyboardInterrupt
            rename(source, target)

        with mock.patch.object(os, "rename", power):
            code, out, _ = self.world.run("backup", self.world.pool, "--new-key", "--ca", self.ca)
        self.assertEqual((130, True), (code, "AGE-SECRET-KEY-1" in out))
        self.assertIn(f"none: {self.world.typed} backup {self.world.pool} makes one", self.world.does("show", self.world.pool))
        code, _, err = self.world.run("backup", self.world.pool)
        self.assertEqual((1, True), (code, "--new-key --ca DIR" in err), err)
        key = json.loads(self.world.does("backup", self.world.pool, "--new-key", "--ca", self.ca, "--json"))["recovery_key"]
        self.assertIn("Key 2 of the manager", self.lose_and_restore(key))

    def test_a_key_that_was_sealed_to_another_recovery_key_does_not_keep_the_rest_away(self):
        self.rekey()
        self.world.does("backup", self.world.pool, "--ca", self.ca)
        backup.closed(b"", backup.new_key().public, self.world.pool / "authority.age")
        self.world.does("backup", self.world.pool)
        said = self.lose_and_restore()
        self.assertIn("authority.age in the backup, which has the key that signs what is published, is left out: the recovery key is another one's", said)
        self.assertIn("wow-ca rekey", said)
        self.assertEqual(("science", False), (self.world.pool.name, (self.world.pool / "authority.age").exists()))

    def test_what_is_no_copy_of_a_manager_s_folder_changes_nothing(self):
        before = (self.world.pool / "backup.age").read_bytes()

        def refused(says):
            code, _, err = self.world.run("backup", self.world.pool, "--ca", self.ca)
            self.assertEqual((1, True), (code, before == (self.world.pool / "backup.age").read_bytes()))
            self.assertIn(says, err)

        self.rekey()
        whole = (self.ca / "keys.notice").read_bytes()
        for damage in (b"", b"WOWN", whole[:40], whole[:-1], whole.replace(b"\nkey", b"\nkex", 1)[:9], b"x" * 70000):
            (self.ca / "keys.notice").write_bytes(damage)
            refused("keys.notice")
        (self.ca / "keys.notice").write_bytes(whole)
        (self.ca / "stack-2.key").unlink()
        refused("lacks stack-2.key")
        shutil.rmtree(self.ca)
        refused("has no keys.notice")

    def test_an_archive_with_another_file_in_it_is_refused_and_nothing_is_written(self):
        ca = self.world.pool / "manager/ca"
        before = sorted(os.listdir(ca))
        for name in ("ca.key", "../evil", "stack-1.key.new", "stack-0.key"):
            with self.assertRaises(backup.WowError):
                signing.put(signing.packed({"keys.notice": b"", name: b""}), ca, "a")
            self.assertEqual(before, sorted(os.listdir(ca)))


class Stamped(Manager):
    """A fresh machine's configuration disk says which keys sign what is published."""

    def on(self, disk, name="keys.notice"):
        return subprocess.run(["mcopy", "-n", "-i", self.world.pool / disk, f"::/{name}", "-"], check=True, capture_output=True).stdout

    def test_every_disk_has_the_key_that_the_pool_was_made_with(self):
        known = (self.ca / "keys.notice").read_bytes()
        for disk in ("for-volunteers/science-config.img", "for-manager/science-manager-config.img"):
            self.assertEqual(known, self.on(disk))
        self.assertEqual(1, len(signing.keys_of(self.world.pool / "keys.notice")))

    def test_after_a_rekey_on_the_manager_the_next_disks_have_the_next_key(self):
        self.rekey()
        self.world.does("backup", self.world.pool, "--ca", self.ca)
        self.world.does("stamp", self.world.pool)
        self.assertEqual((self.ca / "keys.notice").read_bytes(), self.on("for-volunteers/science-config.img"))
        self.assertEqual(2, len(signing.keys_of(self.ca / "keys.notice")))

    def test_the_certificate_that_the_manager_s_ca_renewed_is_in_the_next_disks_and_comes_back(self):
        before = (self.world.pool / "manager/ca/ca.pem").read_bytes()
        self.wow_ca("renew-authority", "--early")
        renewed = (self.ca / "ca.pem").read_text(encoding="ascii")
        self.world.does("backup", self.world.pool, "--ca", self.ca)
        self.assertNotEqual(before.decode(), renewed)
        self.assertEqual(renewed, (self.world.pool / "manager/ca/ca.pem").read_text(encoding="ascii"))
        self.world.does("stamp", self.world.pool)
        self.assertIn("".join(renewed.split("\n")[1:-2]), self.on("for-volunteers/science-config.img", "pool.conf").decode())
        self.lose_and_restore()
        for name in ("ca.pem", "authority.notice"):
            self.assertEqual((self.ca / name).read_bytes(), (self.world.pool / "manager/ca" / name).read_bytes())
        self.wow_ca("list", folder=self.world.pool / "manager/ca")

    def test_a_pool_of_before_that_never_had_a_key_of_its_own_gets_the_renewed_certificate_too(self):
        for path in (*self.ca.glob("stack-*.key"), self.ca / "keys.notice"):
            path.unlink()
        self.wow_ca("renew-authority", "--early")
        self.assertIn("has no keys.notice", self.world.run("backup", self.world.pool, "--ca", self.ca)[2], "the pool's folder knows a key")
        for name in ("keys.notice", "authority.age"):
            (self.world.pool / name).unlink(missing_ok=True)
        self.assertIn("the certificate to which the CA renewed its own", self.world.does("backup", self.world.pool, "--ca", self.ca))
        self.world.does("stamp", self.world.pool)
        renewed = (self.ca / "ca.pem").read_text(encoding="ascii")
        self.assertIn("".join(renewed.split("\n")[1:-2]), self.on("for-volunteers/science-config.img", "pool.conf").decode())
        self.lose_and_restore()
        self.assertEqual(renewed, (self.world.pool / "manager/ca/ca.pem").read_text(encoding="ascii"))

    def test_an_older_certificate_and_that_of_another_ca_do_not_take_its_place(self):
        first = self.world.home / "first"
        shutil.copytree(self.ca, first)
        for folder in (first, self.ca):
            self.wow_ca("renew-authority", "--early", folder=folder)
        known = self.world.pool / "manager/ca/ca.pem"
        self.world.run("backup", self.world.pool, "--ca", self.ca)
        held = known.read_bytes()
        self.world.run("backup", self.world.pool, "--ca", first)
        self.assertEqual(held, known.read_bytes())
        other = self.world.home / "other"
        sealed = (self.world.pool / "authority.age").read_bytes()
        self.wow_ca("init", "--pool", "science", "--subnet", "10.128.0.0/16", folder=other)
        time.sleep(1.1)  # a renewed certificate ends later, by whole seconds
        self.wow_ca("renew-authority", "--early", folder=other)
        (self.ca / "authority.notice").write_bytes((other / "authority.notice").read_bytes())
        code, _, err = self.world.run("backup", self.world.pool, "--ca", self.ca)
        self.assertEqual((1, held, sealed), (code, known.read_bytes(), (self.world.pool / "authority.age").read_bytes()))
        self.assertIn("is no certificate of this pool's CA", err)

    def test_an_old_copy_of_the_manager_s_folder_is_refused_and_other_keys_are_warned_of(self):
        old = self.world.home / "old"
        shutil.copytree(self.ca, old)
        self.rekey()
        self.world.does("backup", self.world.pool, "--ca", self.ca)
        code, _, err = self.world.run("backup", self.world.pool, "--ca", old)
        self.assertEqual(1, code)
        self.assertIn("has 1 keys, and this folder knows 2: it is an old copy", err)
        self.wow_ca("rekey", folder=old)
        code, out, _ = self.world.run("backup", self.world.pool, "--ca", old)
        self.assertEqual(0, code)
        self.assertIn("do not go on from those that this folder knows", out)
        self.assertEqual((old / "keys.notice").read_bytes(), (self.world.pool / "keys.notice").read_bytes())

    def test_a_pool_of_before_has_none_and_is_stamped_as_before(self):
        for name in ("keys.notice", "manager/ca/keys.notice", "manager/ca/stack-1.key"):
            (self.world.pool / name).unlink()
        self.world.does("stamp", self.world.pool)
        with self.assertRaises(subprocess.CalledProcessError):
            self.on("for-volunteers/science-config.img")


class Whole(Manager):
    """Each file of the CA's folder is kept, taken from the manager, or one that wow-ca makes anew. A new one that nobody thought of fails here."""

    def known(self, name):
        return name in (*signing.MADE, *signing.TAKEN, *signing.AGAIN) or signing.KEY.fullmatch(name)

    def test_each_file_that_the_sources_name_is_in_a_list(self):
        named = {"".join(found) for path in SOURCES.rglob("*.cs") if "obj" not in path.parts for found in NAMED.findall(path.read_text(encoding="utf-8"))}
        named = {re.sub(r"\{\w+\}", "1", name) for name in named}
        self.assertLessEqual({"ca.key", "ca.pem", "ca.db", "keys.notice", "stack.notice", "term.notice", "revocations.notice", "layers", "layers.lock", "stack-1.key"},
                             named)
        self.assertEqual([], [name for name in sorted(named) if not self.known(name)])

    def test_each_file_that_is_there_after_all_was_done_is_in_a_list(self):
        self.wow_ca("publish", "--none")
        self.rekey()
        self.wow_ca("renew-authority", "--early")
        self.wow_ca("ticket", "--uses", "1", "--until", "2099-01-01")
        self.assertEqual([], [name for name in os.listdir(self.ca) if not self.known(name)])


if __name__ == "__main__":
    unittest.main()
