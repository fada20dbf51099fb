"""A startd that has just been started is told again: what it was told at first it may not have heard."""
import os
import pathlib
import tempfile
import unittest
from unittest import mock

from wow.lib import console, startd

CLOCK = os.sysconf("SC_CLK_TCK")


class Telling(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file, self.read = f"{folder.name}/conf", f"{folder.name}/read"
        pathlib.Path(self.file).write_text("paused", encoding="ascii")

    def process(self, number, name, began):
        """A process of root's that began so many seconds after the machine."""
        place = self.folder / str(number)
        place.mkdir()
        (place / "comm").write_text(f"{name}\n", encoding="ascii")
        (place / "stat").write_text(f"{number} ({name}) x) S {' '.join(['0'] * 18)} {began * CLOCK} 0\n", encoding="ascii")

    def test_it_is_noted_as_read_only_by_a_startd_that_has_settled(self):
        with mock.patch.object(startd.system, "run", lambda *_, **__: (0, "")):
            for age, noted in ((0.0, False), (startd.SETTLED - 0.1, False), (startd.SETTLED, True)):
                with mock.patch.object(startd, "age", lambda age=age: age):
                    startd.tell(self.file, self.read)
                self.assertEqual(startd.has_read(self.file, self.read), noted, age)

    def test_a_startd_that_began_between_two_words_is_told_the_second_though_that_is_what_it_had_read_before(self):
        told = []
        with mock.patch.object(startd.system, "run", lambda words, *_, **__: (told.append(words), (0, ""))[1]), mock.patch.object(startd, "age", lambda: startd.SETTLED):
            startd.tell(self.file, self.read)
            startd.write(self.file, self.read, "paused")
            self.assertTrue(startd.has_read(self.file, self.read), "nothing changed")
            startd.write(self.file, self.read, "not paused")
            startd.write(self.file, self.read, "paused")
            self.assertFalse(startd.has_read(self.file, self.read))

    def test_its_age_is_that_of_its_process_and_people_s_programs_of_that_name_do_not_count(self):
        with mock.patch.object(console, "uptime", lambda: 100.0):
            self.assertEqual(startd.age(str(self.folder)), 0.0)
            self.process(7, "condor_schedd", 1)
            self.process(8, startd.NAME, 88)
            self.assertEqual(startd.age(str(self.folder)), 12.0)
            self.process(9, startd.NAME, 2)
            os.chown(self.folder / "9", startd.PEOPLE, 0)
            self.assertEqual(startd.age(str(self.folder)), 12.0)

    def test_one_that_ends_while_it_is_looked_at_is_none(self):
        self.process(8, startd.NAME, 88)
        (self.folder / "8/stat").write_text("", encoding="ascii")
        self.assertEqual(startd.age(str(self.folder)), 0.0)


if __name__ == "__main__":
    unittest.main()
