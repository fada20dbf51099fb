"""pool.json: what wow-config leaves for the others."""
import json
import os
import tempfile
import unittest

from wow.config import facts
from wow.config.facts import Facts
import samples


PROPERTIES = [name for name, one in vars(Facts).items() if isinstance(one, property)]


class Kept(unittest.TestCase):
    def test_what_was_written_is_read_and_no_secret_is_among_it(self):
        for changes in ({}, {"node__role": "manager", "node__host": None, "ca__ticket": None}, {"pool__open": "yes", "ca__certificate": None, "ca__ticket": None},
                        {"node__capture": "yes", "node__port": "65535"},
                        {"pool__open": "yes", "ca__certificate": None, "ca__ticket": None, "pool__managers": "boss second"}):
            pool = samples.pool(**changes)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "pool.json")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(facts.text(pool))
                read = facts.read(path)
            for name in PROPERTIES:
                self.assertEqual(getattr(read, name), getattr(pool, name), name)
            withheld = {("pool", "secret"), ("node", "console-password"), ("ca", "ticket"), ("ca", "certificate")}
            self.assertEqual(({"storm surge"}, pool.projects), (read.projects.keys(), read.projects))
            self.assertEqual(read.values, {key: value for key, value in pool.values.items() if key not in withheld})
            for secret in (samples.SECRET, "hush"):
                self.assertNotIn(secret, facts.text(pool))

    def test_it_is_json_although_no_module_writes_it(self):
        self.assertEqual(json.loads(facts.text(samples.pool()))["pool"]["name"], "science")


if __name__ == "__main__":
    unittest.main()
