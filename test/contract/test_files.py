import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from contract import files, shipped  # noqa: E402
from contract.source import Broken  # noqa: E402

CLONE = pathlib.Path(__file__).resolve().parents[2]
ONE = {"in": "run", "name": "ipopd.conf", "by": "wow-config", "says": "A file.", "constant": "Config"}
FOLDER = re.compile(r"/(?:run|var/lib)/wow(?![a-z])[\w-]*")
PRIVATE = {"/run/wow-clock", "/run/wow-console", "/run/wow-lab-asked", "/run/wow-share", "/run/wow-web"}
"""Of one program, which meets itself there."""


class Files(unittest.TestCase):
    """Of a small contract."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write(ONE)

    def write(self, *entries):
        path = self.root / files.SOURCE
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"about": "", "folders": {"run": {"path": "/run/wow", "says": "A folder."}}, "files": entries}))

    def test_a_file_that_a_program_in_c_sharp_knows_is_a_constant_there(self):
        self.assertIn('    /// <summary>A file.</summary>\n    public const string Config = "ipopd.conf";\n', files.file_names(self.root))

    def test_a_path_is_found_however_a_language_writes_it(self):
        for text in ("/run/wow/a.b", 'f"{paths.RUN}/a.b"', 'f"{RUN}/a.b"', 'f"{run}/a.b"', '"$run/a.b"', '"${run}/a.b"', "Look at /run/wow/a.b."):
            self.assertEqual(files.named(text, self.root), {("run", "a.b")}, text)
        for text in ("/run/wow-x/a.b", "/run/wow", "$runner/a.b"):
            self.assertEqual(files.named(text, self.root), set(), text)

    def test_what_contradicts_itself_is_told(self):
        for entries in ((ONE, ONE), ({**ONE, "in": "home"},)):
            self.write(*entries)
            with self.assertRaises(Broken) as caught:
                files.read(self.root)
            self.assertIn("a file stands twice, or in a folder that is not there", str(caught.exception))


def spelled_out(name, text):
    """A path unit's template as its enabled instances have it, one after the other; any other text as it is."""
    if not name.endswith("@.path"):
        return text
    return "\n".join(text.replace("%i", one) for one in shipped.instances(CLONE, name.rpartition("/")[2]))


class Clone(unittest.TestCase):
    """Of this clone: programs, units and scripts name the contract's files and no others."""

    @classmethod
    def setUpClass(cls):
        cls.texts = {name: spelled_out(name, text) for name, text in shipped.texts(CLONE).items()}
        cls.folders, cls.files = files.read(CLONE)
        # The initrd has the folder on its partition before it is bound to its place.
        cls.named = {name: files.named(text.replace("home/state/", f"{cls.folders['state'][0]}/"), CLONE) for name, text in cls.texts.items()}
        copied = re.search(r"for name in (.*); do", cls.texts["appliance/initrd/config.sh"])
        cls.named["appliance/initrd/config.sh"] |= {("disk", name) for name in copied[1].split()}

    def test_every_file_that_is_named_stands_in_the_contract(self):
        known = {(one.folder, one.name) for one in self.files}
        for name, found in self.named.items():
            strange = {(folder, file) for folder, file in found if (folder, file.removesuffix(".new")) not in known}
            self.assertEqual(strange, set(), f"{name}: put them into {files.SOURCE}")

    def test_every_file_of_the_contract_is_named_by_a_program(self):
        named = set().union(*self.named.values())
        sharp = "\n".join(text for name, text in self.texts.items() if name.endswith(".cs"))
        for one in self.files:
            in_sharp = one.constant is not None and re.search(rf"\bFileNames\.{one.constant}\b", sharp)
            self.assertTrue(in_sharp or (one.constant is None and (one.folder, one.name) in named), f"{files.SOURCE}: nobody knows {one.name}")

    def test_every_folder_is_one_of_the_contract(self):
        known = PRIVATE | {path for path, _ in self.folders.values()}
        for name, text in self.texts.items():
            self.assertEqual(set(FOLDER.findall(text)) - known, set(), f"{name}: put it into {files.SOURCE}")
            if "$run/" in text:
                self.assertIn(f"\nrun={self.folders['run'][0]}\n", text, name)


if __name__ == "__main__":
    unittest.main()
