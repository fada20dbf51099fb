"""The module tool's judgement of recipes."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True


def tool(path):
    """A script without .py as a module."""
    loader = importlib.machinery.SourceFileLoader(path.name.replace("-", "_"), str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


publish = tool(ROOT / "appliance/layers/publish")
recipes = publish.recipes
GOOD = "[module]\nname = maths\nversion = 1.0\ndescription = Sums\nlicence = MIT\n"


class Recipes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, recipe=GOOD, file="usr/share/maths/sum"):
        (self.folder / "module.ini").write_text(recipe)
        if file:
            path = self.folder / "root" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("2\n")

    def refused(self, *words):
        with self.assertRaises(publish.WowError) as caught:
            recipes.read(self.folder)
            recipes.check_files(self.folder)
        for word in (str(self.folder), *words):
            self.assertIn(word, str(caught.exception))

    def test_a_good_recipe_is_read(self):
        self.write()
        self.assertEqual(recipes.read(self.folder).name, "maths")
        self.assertEqual(len(recipes.check_files(self.folder)), 1)

    def test_a_missing_recipe_is_named(self):
        self.refused("module.ini", "no such file")

    def test_an_unknown_key_is_named(self):
        self.write(GOOD + "colour = red\n")
        self.refused("unknown key colour", "name")

    def test_an_unknown_section_is_named(self):
        self.write(GOOD + "[files]\n")
        self.refused("[files]", "[module] and [statoverride]")

    def test_a_missing_key_is_named(self):
        self.write("[module]\nname = maths\nversion = 1\n")
        self.refused("description is missing")

    def test_a_module_without_a_licence_is_refused(self):
        self.write(GOOD.replace("licence = MIT\n", ""))
        self.refused("licence is missing")

    def test_what_is_not_ini_is_refused_with_its_line(self):
        self.write("name = maths\n")
        self.refused("module.ini", "line 1 stands before the first section")

    def test_a_recipe_is_read_as_pool_conf_is(self):
        """What Python's own reader took another way: a colon, a line that goes on, a key twice, capitals."""
        for line, words in (("version: 2", "line 6 is neither"), ("  and more", "line 6 is neither"), ("name = other", "stands twice, in line 2 and line 6"),
                            ("Licence = MIT", "unknown key Licence")):
            with self.subTest(line):
                self.write(f"{GOOD}{line}\n")
                self.refused(words)
        self.write("\ufeff; a comment\n" + GOOD.replace("Sums", "Sums; 100 % of them").replace("\n", "\r\n"))
        self.assertEqual(recipes.read(self.folder).description, "Sums; 100 % of them")

    def test_names_that_are_no_label_or_taken_are_refused(self):
        for name in ("Maths", "../maths", "base", "node", "-x", "a" * 33):
            with self.subTest(name):
                self.write(GOOD.replace("maths", name))
                self.refused(f"name = {name}")

    def test_a_version_with_blanks_is_refused(self):
        self.write(GOOD.replace("1.0", "1 0"))
        self.refused("version = 1 0")

    def test_a_module_without_files_is_refused(self):
        self.write(file=None)
        self.refused("no files")

    def test_a_file_with_holes_that_is_too_large_is_refused_before_it_is_read(self):
        self.write()
        with (self.folder / "root/usr/share/maths/sum").open("wb") as file:
            file.truncate(recipes.places.MOST_BYTES + 1)
        self.refused("more than a module may hold", "A file with holes counts whole")

    def test_names_of_modules_that_are_none_are_refused(self):
        for line in ("requires = Physics", "conflicts = maths", "requires = base", "conflicts = a/b"):
            with self.subTest(line):
                self.write(f"{GOOD}{line}\n")
                self.refused("is the name of no other module")

    def test_files_of_the_machine_are_refused(self):
        for file in ("etc/shadow", "etc/ssh/ssh_host_rsa_key", "boot/vmlinuz", "home/alice/x", "usr/lib/modules/6/x.ko", "bin/x"):
            with self.subTest(file):
                self.write(file=file)
                self.refused("may not hold")
                (self.folder / "root" / file).unlink()

    def test_names_that_the_packer_would_read_otherwise_are_refused(self):
        for name in ('a"b', "a\\b", "a\nb"):
            with self.subTest(name):
                self.write(file=f"opt/{name}")
                with self.assertRaises(recipes.RecipeError) as caught:
                    recipes.check_files(self.folder)
                self.assertIn("rename it", str(caught.exception))
                (self.folder / "root/opt" / name).unlink()

    def test_paths_that_are_none_are_refused(self):
        self.write()
        for word in ("usr/bin/x", "/usr/bin/", "/usr/../x", "/"):
            with self.subTest(word):
                self.write(f"{GOOD}override = /etc/x {word}\n")
                self.refused(f"override: {word}: write the path as the guest has it")

    def test_owners_and_modes_that_are_none_are_refused(self):
        for value, words in (("root root", "2 words instead of three"), ("root root 0750 x", "4 words"), ("root root 888", "888 is no mode"),
                             ("root root rwx", "rwx is no mode"), ("root root 77777", "77777 is no mode"), ("root root 75", "75 is no mode")):
            with self.subTest(value):
                self.write(f"{GOOD}[statoverride]\n/opt/x = {value}\n")
                self.refused("[statoverride] /opt/x", words)
        self.write(f"{GOOD}[statoverride]\nopt/x = root root 0750\n")
        self.refused("[statoverride]: opt/x: write the path")


if __name__ == "__main__":
    unittest.main()
