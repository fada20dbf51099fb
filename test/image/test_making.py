"""What apt is asked for a recipe's packages, and what is refused before anything is fetched."""

import pathlib
import sys
import tempfile
import unittest
from unittest import mock

from test_module import GOOD, ROOT
from test_publish import ABOUT, fill

sys.path.append(str(ROOT / "appliance/layers"))

import listing  # noqa: E402
import locking  # noqa: E402
import making  # noqa: E402

from wow.config import users  # noqa: E402
from wow.module import accounts  # noqa: E402

URI = "'http://example.org/pool/{name}_{version}_amd64.deb' {name}_{version}_amd64.deb 700 SHA256:{sha256}\n"
STANZA = "Package: {name}\nVersion: {version}\nArchitecture: amd64\nFilename: pool/{name}_{version}_amd64.deb\n"
NEW = {"name": "libx", "version": "1.0-2", "sha256": "ab" * 32}


class Choosing(unittest.TestCase):
    def chosen(self, *stanzas):
        def run(*words):
            return URI.format(**NEW) if words[0] == "apt-get" else "\n".join(stanzas)
        return locking.record.chosen(run, ["libx"], {})

    def test_the_entry_of_an_installed_version_that_the_archive_has_no_more_is_passed_over(self):
        here, there = STANZA.format(name="libx", version="1.0-1"), STANZA.format(**NEW) + f"SHA256: {NEW['sha256']}\n"
        self.assertEqual([(one.version, one.sha256) for one in self.chosen(there, here).values()], [("1.0-2", NEW["sha256"])])
        with self.assertRaisesRegex(locking.locked.LockError, "apt chose 1 files, 0 of them"):
            self.chosen(here)


class Root:
    """A root in which apt says what it would install."""

    def __init__(self, said):
        self.said, self.asked = said, []

    def inside(self, *words, what=""):
        self.asked.append(words)
        return self.said if what else ""


class Keeping(unittest.TestCase):
    def test_an_upgrade_of_the_base_is_refused_with_both_versions(self):
        root = Root("Inst bc (1.07.1-4 Debian:13 [amd64])\nInst libc6 [2.41-12] (2.41-13 Debian:13 [amd64])\nConf libc6 (2.41-13 Debian:13 [amd64])\n")
        with self.assertRaisesRegex(listing.LayerError, "packages = bc: .* may: libc6 2.41-12 by 2.41-13[.] .*: WOW_FRESH=1 make image"):
            making.keep_base(root, ["bc"])
        self.assertTrue(all("--simulate" in words for words in root.asked), "nothing is installed")

    def test_what_is_new_or_unpacked_once_more_is_no_upgrade(self):
        root = Root("Inst bc (1.07.1-4 Debian:13 [amd64])\nInst libc6 [2.41-12] (2.41-12 Debian:13 [amd64])\n")
        self.assertIsNone(making.keep_base(root, ["bc", "libc6"]))

    def test_a_build_may_upgrade_in_its_own_root(self):
        upgrade, made = "Inst libc6 [2.41-12] (2.41-13 Debian:13 [amd64])\n", mock.Mock()
        for is_module in (False, True):
            root = Root(upgrade)
            root.over, root.no_start, root.may_start = mock.Mock(), mock.Mock(), mock.Mock()
            with tempfile.TemporaryDirectory() as folder:
                root.path = pathlib.Path(folder)
                fill(root.path, {f"{making.DEVELOP}/dpkg/{making.UNPACKED}": ""})
                if is_module:
                    with self.assertRaisesRegex(listing.LayerError, "libc6 2.41-12 by 2.41-13"):
                        making.install(root, ["gcc"], made, is_module=True)
                else:
                    making.install(root, ["gcc"], made)
            self.assertEqual(root.may_start.called, not is_module)


class Numbers(unittest.TestCase):
    def test_no_package_takes_a_number_of_a_machine_s_own_accounts_and_none_of_them_is_published(self):
        was = dict.fromkeys(accounts.TABLES, "")
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, "etc")
            place.mkdir()
            for table in accounts.TABLES:
                (place / table).touch()
            making.occupy(pathlib.Path(folder))
            now = {table: (place / table).read_text(encoding="utf-8") for table in accounts.TABLES}
        taken = {int(fields[2]) for table in accounts.NUMBERED for fields in accounts.rows(now[table]).values()}
        self.assertLessEqual(users.OWN_IDS, taken)
        self.assertEqual(accounts.added(was, now), ({}, []))


class Elsewhere(unittest.TestCase):
    def test_for_another_architecture_it_is_refused_before_apt_is_asked(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(making, "packages") as asked, mock.patch.object(making.roots, "alone"):
            place = pathlib.Path(folder, "sums")
            fill(place, {"module.ini": GOOD + "packages = bc\n"})
            with self.assertRaisesRegex(listing.LayerError, "sums: a recipe with packages or programs is made for amd64 alone, and this base is for arm64"):
                making.make(place, (), {**ABOUT, "architecture": "arm64"}, pathlib.Path(folder, "out"))
            self.assertFalse(asked.called)


if __name__ == "__main__":
    unittest.main()
