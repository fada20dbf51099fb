"""`wow pool project`: what the pool's jobs are for, in its folder and in every pool.conf."""

import json
import unittest

from world import World, identity

SAYS, LINK = "We forecast storm surges on the coast.", "https://example.org/surge"
SECTION = f"[project:storm surge]\nsays = {SAYS}\nlink = {LINK}\n"
DISKS = ("for-volunteers/science-config.img", "for-manager/science-manager-config.img")


class Projects(unittest.TestCase):
    def setUp(self):
        self.world = World(self)
        self.world.copied()
        self.before = identity(self.world)

    def change(self, what, name, *more):
        """The projects from then on."""
        code, out, err = self.world.run("project", what, self.world.pool, name, *more, "--json")
        self.assertEqual(0, code, err)
        return json.loads(out)["projects"]

    def refused(self, *words, says):
        kept = {name: (self.world.pool / name).read_bytes() for name in self.world.names()}
        code, _, err = self.world.run("project", *words)
        self.assertEqual((1, 1), (code, err.count("\n")), err)
        self.assertIn(says, err)
        self.assertEqual(kept, {name: (self.world.pool / name).read_bytes() for name in self.world.names()})

    def test_a_project_stands_in_the_folder_in_its_backup_and_in_all_images_until_it_is_removed(self):
        self.assertEqual([{"name": "storm surge", "says": SAYS, "link": LINK}], self.change("add", "storm surge", "--says", SAYS, "--link", LINK))
        for disk in DISKS:
            self.assertIn(SECTION, self.world.conf(disk))
        code, out, _ = self.world.run("show", self.world.pool)
        self.assertEqual(0, code)
        self.assertRegex(out, rf"(?m)^project +storm surge: {SAYS} {LINK}$")
        self.assertNotIn("older than what it holds", out)
        self.assertEqual(self.before, identity(self.world))
        self.assertEqual([], self.change("remove", "storm surge"))
        for disk in DISKS:
            self.assertNotIn("project", self.world.conf(disk))
        self.assertNotIn("projects", json.loads(self.world.text("pool.json")), "a former clone would not read it")

    def test_one_that_is_there_gets_another_sentence_and_each_manager_has_all(self):
        self.change("add", "storm surge", "--says", SAYS, "--link", LINK)
        self.change("add", "crues", "--says", "Nous prévoyons les crues.")
        self.world.does("manager", "add", self.world.pool, "second")
        told = self.change("add", "storm surge", "--says", "Storms.")
        self.assertEqual([("storm surge", "Storms.", ""), ("crues", "Nous prévoyons les crues.", "")], [tuple(one.values()) for one in told])
        conf = self.world.conf("for-manager-second/science-manager-second-config.img")
        self.assertIn("[project:storm surge]\nsays = Storms.\n\n[project:crues]\nsays = Nous prévoyons les crues.\n", conf)

    def test_markup_classads_and_lines_get_nowhere(self):
        for name in ("<b>x</b>", 'x"; Rank = 1', "$(SECRET)", "a]", "a\n[pool]", "", " a", "ü", "x" * 65):
            self.refused("add", self.world.pool, name, "--says", SAYS, says="NAME" if name != name.strip() or "\n" in name else f'"{name}"')
        for sentence in ("<script>alert(1)</script>", 'a "b"', "a\\b", "[ x = 1 ]", "$(x)", "a\nb", "", "x" * 161, "a & b", "\u202eevil"):
            self.refused("add", self.world.pool, "surge", "--says", sentence, says="--says")
        for link in ("javascript:alert(1)", "ftp://example.org", "https://", "https://a_b/", 'https://a.org/"><b>', "https://a.org/a b", "https://a.org:0/", "example.org",
                     "https://a.org/" + "x" * 200):
            self.refused("add", self.world.pool, "surge", "--says", SAYS, "--link", link, says="--link")

    def test_wrong_words_change_nothing(self):
        self.refused("add", self.world.pool, "surge", says="--says")
        self.refused("remove", self.world.pool, "surge", says="is no project of this pool. One of: none")
        self.change("add", "surge", "--says", SAYS)
        self.refused("remove", self.world.pool, "surge", "--says", SAYS, says="goes with add")
        told = json.loads(self.world.text("pool.json"))
        told["projects"] = {f"p{number}": {"says": "a", "link": ""} for number in range(50)}
        (self.world.pool / "pool.json").write_text(json.dumps(told), encoding="utf-8")
        self.refused("add", self.world.pool, "surge", "--says", SAYS, says="has 50 projects already")


if __name__ == "__main__":
    unittest.main()
