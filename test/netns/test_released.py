import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import released  # noqa: E402
from program import digest  # noqa: E402

# Publishes what the sources say, and leaves a mark for each time.
PUBLISH = """#!/bin/sh
set -eu
echo "$SourceRevisionId" >>"$MARKS"
[ -e works ] || { echo 'error CS1002'; exit 3; }
mkdir -p "$1/dotnet"
cat text >"$1/dotnet/ipopd"
"""


class Clone(unittest.TestCase):
    """A clone with two commits, the first of which was released."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.root = self.folder / "origin"
        self.marks = self.folder / "marks"
        os.environ["MARKS"] = str(self.marks)
        self.addCleanup(os.environ.pop, "MARKS")
        self.file = self.folder / "releases.json"
        self.git("init", "-q", str(self.root), at=self.folder)
        self.write("works", "")
        self.write(released.PUBLISH, PUBLISH).chmod(0o755)
        self.first = self.commit("as it was")
        self.second = self.commit("as it is")
        self.keep()

    def git(self, *arguments, at=None):
        return subprocess.run(["git", "-C", str(at or self.root), "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments],
                              check=True, capture_output=True, text=True).stdout.strip()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def commit(self, text):
        self.write("text", text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", text)
        return self.git("rev-parse", "HEAD")

    def keep(self, *releases):
        self.file.write_text(released.as_json(releases))

    def shelf(self, root=None, sdk="10.0.1"):
        return released.Shelf(root or self.root, self.file, self.folder / "cache", sdk)

    def built(self):
        return self.marks.read_text().split() if self.marks.exists() else []


class Keeping(Clone):
    def test_a_release_is_added_with_the_hash_of_what_its_commit_gives(self):
        added = self.shelf().add("0.1.0", self.first[:10])
        self.assertEqual((added.version, added.commit, added.sdk), ("0.1.0", self.first, "10.0.1"))
        self.assertEqual(self.shelf().releases(), [added])
        program, sure = self.shelf().program(added)
        self.assertEqual(program.read_text(), "as it was")
        self.assertEqual(digest(program), added.sha256)
        self.assertIn("by its hash", sure)

    def test_it_is_built_once_and_again_when_the_cache_is_damaged(self):
        added = self.shelf().add("0.1.0", self.first)
        program, _ = self.shelf().program(added)
        self.assertEqual(self.built(), [self.first])
        program.write_text("damaged")
        self.assertEqual(self.shelf().program(added)[0].read_text(), "as it was")
        self.assertEqual(self.built(), [self.first] * 2)

    def test_what_gives_another_program_by_the_same_sdk_is_no_release(self):
        added = self.shelf().add("0.1.0", self.first)
        with self.assertRaisesRegex(released.Trouble, "releases.json has 0{64}"):
            self.shelf().program(added._replace(sha256="0" * 64))

    def test_by_another_sdk_the_sources_alone_are_proven_and_it_says_so(self):
        added = self.shelf().add("0.1.0", self.first)
        program, sure = self.shelf(sdk="10.0.2").program(added._replace(sha256="0" * 64))
        self.assertEqual(program.read_text(), "as it was")
        self.assertIn("can't be compared", sure)
        self.assertEqual(self.built(), [self.first] * 2)

    def test_a_version_or_commit_stands_once(self):
        self.shelf().add("0.1.0", self.first)
        for version, commit in (("0.1.0", self.second), ("0.2.0", self.first)):
            with self.assertRaisesRegex(released.Trouble, "already"):
                self.shelf().add(version, commit)

    def test_a_build_that_fails_is_told_with_its_end(self):
        (self.root / "works").unlink()
        broken = self.commit("broken")
        with self.assertRaisesRegex(released.Trouble, "ended with 3:\nerror CS1002"):
            self.shelf().add("0.1.0", broken)


class Shallow(Clone):
    def setUp(self):
        super().setUp()
        self.shallow = self.folder / "shallow"
        self.git("clone", "-q", "--depth", "1", self.root.as_uri(), str(self.shallow), at=self.folder)
        self.release = released.Release("0.1.0", self.first, "10.0.1", self.sum())

    def sum(self):
        (self.folder / "told").mkdir()
        (self.folder / "told/ipopd").write_text("as it was")
        return digest(self.folder / "told/ipopd")

    def test_the_commit_is_fetched_from_where_the_clone_came_from(self):
        self.assertEqual(self.shelf(self.shallow).program(self.release)[0].read_text(), "as it was")

    def test_where_that_is_not_there_it_says_what_to_do(self):
        self.root.rename(self.folder / "away")
        with self.assertRaisesRegex(released.Trouble, "git fetch --unshallow"):
            self.shelf(self.shallow).program(self.release)


class File(Clone):
    def test_what_is_no_list_of_releases_is_told(self):
        good = released.Release("0.1.0", self.first, "10.0.1", "0" * 64)
        for text in ("{}", "[]", "no JSON", json.dumps({"releases": [{"version": "1"}]}), released.as_json([good._replace(commit="main")]),
                     released.as_json([good._replace(sha256="")]), released.as_json([good, good])):
            self.file.write_text(text)
            with self.assertRaises(released.Trouble):
                released.read(self.file)

    def test_the_clones_own_is_good_and_has_one(self):
        self.assertTrue(released.read(released.FILE))


if __name__ == "__main__":
    unittest.main()
