"""What tests of the history's file share."""
import tempfile
import unittest

from wow.history import store


class Kept(unittest.TestCase):
    """A history in a folder of its own: `kept` writes the file `path`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = f"{folder.name}/history.db"
        self.open()

    def open(self):
        """Opens the file, as after a start."""
        self.kept = store.Store(self.path)
        self.addCleanup(self.kept.close)
