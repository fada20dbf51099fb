import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from runner import room  # noqa: E402


class RoomTests(unittest.TestCase):
    """Two processors, of which `spare` are idle."""

    def setUp(self):
        self.now = self.idle = 0.0
        self.room = room.Room(lambda: self.idle, lambda: self.now, 2)

    def passes(self, seconds, spare, computing=0):
        """Whether there is room for one more that computes beside others, after so long of that."""
        for _ in range(int(seconds)):
            self.now += 1
            self.idle += spare
            found = self.room.has(computing, 3)
        return found

    def test_beside_others_there_is_room_where_a_quarter_of_a_processor_was_idle_for_half_a_minute(self):
        self.assertFalse(self.passes(29, 1.0))
        self.assertTrue(self.passes(3, 1.0))
        self.assertFalse(self.passes(40, 0.2))
        self.assertTrue(self.passes(40, 0.3))

    def test_after_a_begin_half_a_minute_shows_what_it_takes(self):
        self.assertTrue(self.passes(40, 1.0))
        self.room.begins(1)
        self.assertFalse(self.passes(29, 1.0, 1))
        self.assertTrue(self.passes(3, 1.0, 1))

    def test_one_follows_another_one_at_once_unless_no_processor_was_idle_beside_that(self):
        self.assertTrue(self.passes(40, 1.0))
        self.room.begins(1)
        self.assertTrue(self.passes(40, 0.2, 0))
        self.room.begins(1)
        self.assertFalse(self.passes(40, 0.0, 0))
        self.assertFalse(self.passes(40, 0.2, 0))

    def test_beside_others_more_compute_than_there_are_processors_only_where_half_of_one_is_idle_all_the_same(self):
        self.assertTrue(self.passes(40, 1.0))
        self.assertTrue(self.room.has(1, 3))
        self.assertFalse(self.passes(40, 0.4, 2))
        self.assertTrue(self.passes(40, 0.6, 2))
        self.room.begins(3)
        self.assertFalse(self.passes(29, 0.6, 3))
        self.assertTrue(self.passes(3, 0.6, 3))
        self.assertFalse(self.passes(40, 2.0, 4))

    def test_after_more_than_there_are_processors_none_follows_but_where_half_of_one_is_idle(self):
        self.assertTrue(self.passes(40, 1.0))
        self.room.begins(3)
        self.assertFalse(self.passes(40, 0.2, 2))
        self.assertTrue(self.passes(1, 0.2, 1), "as many as there are processors")

    def test_beside_none_that_goes_by_a_clock_one_more_may_than_there_are_processors(self):
        self.assertEqual([True, True, True, False], [self.room.has(number, 0) for number in range(4)])

    def test_what_the_kernel_says_is_idle_and_waiting_for_a_disk_in_seconds(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("cpu  2021825 24695 427340 302200 11600 0 38466 8274 0 0\ncpu0 1 2 3 4 5\n")
            file.flush()
            self.assertAlmostEqual(3138.0, room.idle(pathlib.Path(file.name)))
        self.assertGreater(room.idle(), 0.0)


if __name__ == "__main__":
    unittest.main()
