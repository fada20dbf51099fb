"""What stands on the configuration disk that the lab gives a machine: real files of a disk."""
import pathlib
import tempfile
import types
import unittest
from unittest import mock

import lab_path  # noqa: F401
import stamp
from pools import configdisk

KEYS = b"WOWN\x05 keys that the CA signed"


class Disk(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.place = pathlib.Path(made.name)
        self.machine = types.SimpleNamespace(name="alpha", role="worker")
        self.pool = types.SimpleNamespace(facts=None, ticket="", folder=types.SimpleNamespace(keys=self.place / "keys.notice"))

    def disk(self, **more):
        """Its pool.conf and its keys."""
        with mock.patch.object(stamp, "pool_conf", return_value="[pool]\n"):
            disk = stamp.config(self.machine, self.pool, {}, self.place, **more)
        with tempfile.TemporaryDirectory() as folder:
            conf, _, _, _, keys = configdisk.unpacked(pathlib.Path(disk), pathlib.Path(folder))
            return conf.read_text(encoding="utf-8"), keys and keys.read_bytes()

    def test_it_has_the_keys_that_sign_the_pool_s_stack_as_the_pool_s_folder_knows_them(self):
        self.assertEqual(self.disk(), ("[pool]\n", None))
        self.pool.folder.keys.write_bytes(KEYS)
        self.assertEqual(self.disk(), ("[pool]\n", KEYS))

    def test_a_pool_conf_that_a_test_wrote_stands_alone(self):
        self.pool.folder.keys.write_bytes(KEYS)
        self.assertEqual(self.disk(text="[other]\n"), ("[other]\n", None))


if __name__ == "__main__":
    unittest.main()
