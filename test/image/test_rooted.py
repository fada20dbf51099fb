"""A link in a module or a package leads to a place of the stack, and never to this machine's own files, though root's tools write there from outside."""

import os
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

import test_archived
from test_module import ROOT
from test_publish import fill

sys.path.append(str(ROOT / "appliance/layers"))

import composing  # noqa: E402
import listing  # noqa: E402
import making  # noqa: E402
import roots  # noqa: E402


class Alone(unittest.TestCase):
    def test_what_is_written_in_a_root_is_for_everybody_whatever_the_builder_s_umask_was(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(roots.libc, "call"), mock.patch.object(roots, "run"):
            self.addCleanup(os.umask, os.umask(0o077))
            roots.alone()
            (made := pathlib.Path(folder, "made")).mkdir()
            self.assertEqual(0o755, made.stat().st_mode & 0o777)


class Rooted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.host = pathlib.Path(folder.name, "root"), pathlib.Path(folder.name, "host")
        self.host.mkdir()

    def names(self, place):
        """What a folder holds."""
        return sorted(path.relative_to(place).as_posix() for path in place.rglob("*"))

    def test_links_lead_where_they_lead_for_who_has_the_root_as_its_own(self):
        fill(self.root, {"usr/lib/": "", "lib": "->usr/lib", "var/run": "->/run", "up": "->../../../etc", "far": "->/var/run/x", "one": "->two", "two": "->one"})
        for path, leads in (("lib/x", "usr/lib/x"), ("var/run/x", "run/x"), ("up/shells", "etc/shells"), ("far", "run/x"), ("etc/../../x", "x"), (".", ""),
                            ("none/x", "none/x")):
            self.assertEqual(self.root / leads, roots.within(self.root, path), path)
        with self.assertRaisesRegex(listing.LayerError, "/one/x: leads through more than 40 links"):
            roots.within(self.root, "one/x")

    def test_a_recipe_s_files_behind_a_package_s_link_come_to_where_that_leads_in_the_root(self):
        fill(self.root, {"etc/": "", "out": f"->{self.host}"})
        fill(self.host, {"x": "the host's"})
        source = self.host.parent / "recipe"
        fill(source, {"out/x": "the recipe's", "etc/y": "also"})
        (self.root / str(self.host)[1:]).mkdir(parents=True)
        making.put(types.SimpleNamespace(path=self.root), types.SimpleNamespace(executable=[]), source)
        self.assertEqual(("the host's", "the recipe's"), ((self.host / "x").read_text(), (self.root / str(self.host)[1:] / "x").read_text()))
        self.assertEqual("also", (self.root / "etc/y").read_text())

    def test_a_recipe_s_file_where_packages_have_a_folder_is_told_and_the_other_way_round(self):
        for there, mine in (({"etc/x/y": ""}, {"etc/x": ""}), ({"etc/x": ""}, {"etc/x/y": ""}), ({"etc/x": "->none"}, {"etc/x/y": ""})):
            with self.subTest(mine), tempfile.TemporaryDirectory() as folder:
                root, source = pathlib.Path(folder, "root"), pathlib.Path(folder, "recipe")
                fill(root, there)
                fill(source, mine)
                with self.assertRaisesRegex(listing.LayerError, "call it something else"):
                    making.put(types.SimpleNamespace(path=root), types.SimpleNamespace(executable=[]), source)

    def test_shared_files_behind_a_module_s_link_are_neither_read_nor_written(self):
        said = {"maths": {**test_archived.EMPTY, "lines": {"etc/shells": ["/bin/own"]}, "triggers": {"/x": ["own"]}}}
        for link in ("etc", "etc/shells", "var/lib/dpkg/triggers", "var/lib/apt"):
            with self.subTest(link), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                fill(root, {link: f"->{self.host}"})
                with mock.patch.object(composing.fragments, "join") as read, self.assertRaisesRegex(listing.LayerError, "a link in its place, or on the way to it"):
                    composing.join(str(root), said)
                self.assertEqual(([], 0), (self.names(self.host), read.call_count))

    def test_the_word_that_no_service_starts_comes_into_the_root_and_out_again(self):
        fill(self.root, {"usr/sbin": f"->{self.host}"})
        stacked = types.SimpleNamespace(path=self.root)
        (self.root / str(self.host)[1:]).mkdir(parents=True)
        (self.host / "policy-rc.d").write_text("the host's")
        roots.Root.no_start(stacked)
        self.assertEqual(roots.NO_START, (self.root / str(self.host)[1:] / "policy-rc.d").read_text())
        roots.Root.may_start(stacked)
        self.assertEqual(("the host's", []), ((self.host / "policy-rc.d").read_text(), self.names(self.root / str(self.host)[1:])))


if __name__ == "__main__":
    unittest.main()
