import io
import json
import os
import subprocess
import tarfile
import unittest

from world import World, identity, wow_ca

from pool import backup
from pool.folder import Folder


class Restored(unittest.TestCase):
    def setUp(self):
        self.world = World(self)
        self.told = self.world.copied()
        self.key = self.told["recovery_key"]
        self.before = identity(self.world)
        self.sealed = self.world.home / "copy.age"
        self.sealed.write_bytes((self.world.pool / "backup.age").read_bytes())

    def lose(self):
        self.world.pool.rename(self.world.home / "lost")

    def restore(self, key, *more):
        return self.world.run("restore", self.sealed, *more, typed=f"{key}\n")

    def test_a_lost_folder_comes_back_and_its_ca_signs(self):
        self.lose()
        code, out, err = self.restore(self.key)
        self.assertEqual((0, ""), (code, err))
        self.assertIn(f"Its images: {self.world.typed} stamp {self.world.pool}\n", out)
        self.assertEqual(self.before, identity(self.world))
        subprocess.run([wow_ca(), "ticket", "--state", self.world.pool / "manager/ca", "--uses", "1", "--until", "2099-01-01"], check=True, capture_output=True)
        self.assertEqual(0o700, os.stat(self.world.pool).st_mode & 0o777)
        self.assertEqual(["copy.age", "lost", "science"], sorted(os.listdir(self.world.home)))

    def test_stamp_makes_the_same_images_and_the_same_key_opens_the_next_backup(self):
        former = self.world.conf("for-volunteers/science-config.img")
        self.lose()
        self.restore(self.key)
        code, out, _ = self.world.run("stamp", self.world.pool, "--json")
        self.assertEqual(0, code)
        self.assertEqual(self.told["users"], json.loads(out)["users"])
        self.assertEqual(former, self.world.conf("for-volunteers/science-config.img"))
        self.world.does("ticket", self.world.pool, "--machines", "1", "--until", "2099-01-01")
        self.sealed.write_bytes((self.world.pool / "backup.age").read_bytes())
        kept = self.world.text("tickets.json")
        self.world.pool.rename(self.world.home / "lost again")
        self.assertEqual(0, self.restore(self.key)[0])
        self.assertEqual(kept, self.world.text("tickets.json"))

    def test_a_key_typed_in_groups_and_small_letters_opens_it(self):
        self.lose()
        groups = " ".join(self.key[at:at + 6].lower() for at in range(0, len(self.key), 6))
        self.assertEqual(0, self.restore(groups)[0])

    def refused(self, key, says, *more):
        before = sorted(self.world.home.rglob("*"))
        code, _, err = self.restore(key, *more)
        self.assertEqual((1, 1), (code, err.count("\n")), err)
        self.assertIn(says, err)
        if key:
            self.assertNotIn(key, err)
        self.assertEqual(before, sorted(self.world.home.rglob("*")))

    def test_a_wrong_key_touches_nothing_and_says_what_is_wrong(self):
        self.lose()
        self.refused(backup.new_key().secret, "another one's")
        self.refused(self.key[:-3] + ("QQQ" if self.key[-3:] != "QQQ" else "PPP"), "typing error")
        self.refused(self.key[:40], "typing error")
        self.refused("open sesame", "no recovery key")
        self.refused("", "no recovery key")

    def test_a_damaged_file_touches_nothing(self):
        self.lose()
        whole = self.sealed.read_bytes()
        for data, says in ((whole[:-100], "damaged"), (whole[:100], "damaged"), (whole[:-1] + bytes([whole[-1] ^ 1]), "damaged"), (b"", "no backup"),
                           (b"PK\3\4" + whole, "no backup")):
            self.sealed.write_bytes(data)
            self.refused(self.key, says)
        self.sealed.unlink()
        for key in (self.key, ""):  # before anybody is asked for the key
            self.refused(key, "cannot be read")

    def test_what_is_there_is_never_written_over(self):
        self.refused(self.key, "is there already")
        self.refused(self.key, "is there already", "--folder", self.world.key.parent)

    def test_a_place_where_no_folder_can_be_made_is_told_before_anybody_is_asked_for_the_key(self):
        self.refused("", f"{self.world.home}/no: does not exist. Make it", "--folder", self.world.home / "no/where")
        self.refused("", "is there already", "--folder", self.world.key.parent)

    def test_an_archive_with_more_in_it_than_a_pool_is_refused(self):
        self.lose()
        public = backup.public_of(self.key)
        for name, kind in (("../evil", tarfile.REGTYPE), ("/evil", tarfile.REGTYPE), ("manager/../../evil", tarfile.REGTYPE), ("bin/sh", tarfile.REGTYPE),
                           ("secret", tarfile.SYMTYPE), ("manager/ca", tarfile.DIRTYPE)):
            data = io.BytesIO()
            with tarfile.open(fileobj=data, mode="w") as archive:
                entry = tarfile.TarInfo(name)
                entry.type, entry.linkname = kind, "/etc/passwd"
                archive.addfile(entry)
            subprocess.run(["age", "-r", public, "-o", self.sealed], input=data.getvalue(), check=True)
            self.refused(self.key, "which no pool has")


class Sealed(unittest.TestCase):
    def setUp(self):
        self.world = World(self)
        self.told = self.world.copied()

    def content(self, key):
        with tarfile.open(fileobj=io.BytesIO(backup.opened(self.world.pool / "backup.age", key))) as archive:
            return {entry.name: archive.extractfile(entry).read() for entry in archive}

    def test_it_holds_what_cannot_be_made_again_and_no_image(self):
        found = self.content(self.told["recovery_key"])
        self.assertEqual({"pool.json", "secret", "tickets.json", "manager/node.key", "manager/node.pem", "manager/ca/ca.key", "manager/ca/ca.pem",
                          "manager/ca/ca.db", "manager/ca/keys.notice", "manager/ca/stack-1.key", "manager/ca/layers.lock", "keys.notice"}, set(found))
        for name, data in found.items():
            self.assertEqual((self.world.pool / name).read_bytes(), data)

    def test_it_is_renewed_without_the_key_when_something_has_changed_and_only_then(self):
        first = (self.world.pool / "backup.age").read_bytes()
        code, out, _ = self.world.run("backup", self.world.pool, "--json")
        self.assertEqual((0, None), (code, json.loads(out)["recovery_key"]))
        self.assertEqual(first, (self.world.pool / "backup.age").read_bytes())
        self.world.run("ticket", self.world.pool, "--machines", "3", "--until", "2099-01-01")
        self.assertEqual((self.world.pool / "tickets.json").read_bytes(), self.content(self.told["recovery_key"])["tickets.json"])

    def test_a_new_key_closes_it_to_the_former_one(self):
        code, out, _ = self.world.run("backup", self.world.pool, "--new-key", "--json")
        self.assertEqual(0, code)
        self.assertIn("manager/ca/ca.key", self.content(json.loads(out)["recovery_key"]))
        with self.assertRaises(backup.WowError) as caught:
            self.content(self.told["recovery_key"])
        self.assertIn("another one's", str(caught.exception))

    def test_a_backup_whose_key_was_never_shown_does_not_count(self):
        folder = Folder(self.world.pool)
        folder.seal.unlink()
        told = self.world.made()
        self.assertNotEqual(self.told["recovery_key"], told["recovery_key"])
        self.assertIn("secret", self.content(told["recovery_key"]))

    def test_a_program_gets_the_key_of_a_backup_that_had_to_be_made_anew_with_the_result(self):
        pool = self.world.pool
        for words, result in ((("ticket", pool, "--machines", "3", "--until", "2099-01-01"), "ticket"), (("user", "add", pool, f"bob={self.world.key}"), "users"),
                              (("project", "add", pool, "surge", "--says", "We forecast."), "projects"), (("stamp", pool), "backup"), (("manager", "add", pool, "second"), "backup"),
                              (("ticket", pool, "--end", json.loads(self.world.text("tickets.json"))[0]["id"]), "ended")):
            (pool / "backup.age").unlink()  # moved to another place, say
            told = json.loads(self.world.does(*words, "--json"))
            self.assertIn("manager/ca/ca.key", self.content(told["recovery_key"]), words)
            self.assertTrue(told[result], words)
            if result == "backup":
                self.assertEqual(("backup.age", True), (told["backup"]["file"], told["backup"]["current"]))

    def test_people_see_the_key_alone_on_its_line_and_are_told_to_write_it_down(self):
        _, out, _ = self.world.run("backup", self.world.pool, "--new-key")
        self.assertRegex(out, r"(?m)^    AGE-SECRET-KEY-1[0-9A-Z]{58}$")
        self.assertIn("Write it down now", out)


if __name__ == "__main__":
    unittest.main()
