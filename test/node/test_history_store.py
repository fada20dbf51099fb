"""The history's file: what it keeps for how long, that it is bounded, and that no end of the program or of the power harms it."""
import os
import random
import signal
import sqlite3
import subprocess
import sys
import unittest
from unittest import mock

from wow.history import ledger, store
from wow.lib import names

from history_files import Kept

HOUR, DAY, BEGIN = 3600, 86400, 1_800_000_000 // 86400 * 86400
TIERS = store.TIERS
ADDER = """
import sys
sys.path.insert(0, sys.argv[1])
from wow.history.ledger import Credit
from wow.history.store import Store
kept, now = Store(sys.argv[2]), int(sys.argv[3])
while True:
    kept.add(now, [Credit("alice@alpha", "surge", "Ada", "beta", 1, 1)])
    print(now, flush=True)
    now += 60
"""


def Credit(person, project, owner, seconds, jobs, machine="beta"):
    """Work on a machine."""
    return ledger.Credit(person, project, owner, machine, seconds, jobs)


class Files(Kept):
    def read(self, first=None):
        """What is known since a moment, or ever."""
        reader = store.Reader(self.path)
        try:
            return reader.ever() if first is None else reader.since(first, 1 << 40)
        finally:
            reader.close()

    def size(self):
        """Bytes of the file with its log."""
        return sum(os.path.getsize(self.path + end) for end in ("", "-wal", "-shm") if os.path.exists(self.path + end))


class KeptTests(Files):
    def test_it_adds_up_by_person_project_and_owner(self):
        self.kept.add(BEGIN, [Credit("alice@alpha", "surge", "Ada", 60, 1), Credit("alice@alpha", "-", "Bob", 30, 2), Credit("carol@beta", "surge", "Ada", 10, 1)])
        self.kept.add(BEGIN + DAY, [Credit("alice@alpha", "surge", "Ada", 5, 0)])
        self.assertEqual({(store.PERSON, "alice@alpha"): (95, 3), (store.PERSON, "carol@beta"): (10, 1), (store.PROJECT, "surge"): (75, 2),
                          (store.PROJECT, "-"): (30, 2), (store.OWNER, "Ada"): (75, 2), (store.OWNER, "Bob"): (30, 2)}, self.read())
        self.assertEqual({(store.PERSON, "alice@alpha"): (5, 0), (store.PROJECT, "surge"): (5, 0), (store.OWNER, "Ada"): (5, 0)}, self.read(BEGIN + HOUR))

    def test_it_is_there_after_the_program_was_started_anew(self):
        self.kept.add(BEGIN, [Credit("alice@alpha", "surge", "Ada", 60, 1)])
        self.kept.close()
        self.open()
        self.kept.add(BEGIN + 60, [Credit("alice@alpha", "surge", "Ada", 60, 1)])
        self.assertEqual((120, 2), self.read(BEGIN)[store.PERSON, "alice@alpha"])

    def test_an_ended_slice_keeps_its_largest_names_and_the_sum_of_the_rest(self):
        crowd = [Credit(f"p{number}@q{number}", "surge", f"o{number}", 1000 + number, 1, f"m{number}") for number in range(150)]
        self.kept.add(BEGIN, crowd)
        self.kept.add(BEGIN + 2 * HOUR, [])
        found = self.read(BEGIN)
        people = {text: sums for (kind, text), sums in found.items() if kind == store.PERSON}
        self.assertEqual(store.KEPT[store.PERSON] + 1, len(people))
        self.assertIn("p149@q149", people)
        self.assertEqual((sum(1000 + number for number in range(150)), 150), tuple(map(sum, zip(*people.values()))))
        self.assertEqual((1000, 1), self.read()[store.PERSON, "p0@q0"], "since ever everybody is known")

    def test_a_clock_that_is_set_takes_nothing_away(self):
        now = BEGIN
        for now in (BEGIN, BEGIN + 20 * 365 * DAY, 600, BEGIN + 600, BEGIN - DAY, BEGIN):
            self.kept.add(now, [Credit("alice@alpha", "surge", "Ada", 60, 1)])
        self.assertEqual((360, 6), self.read()[store.PERSON, "alice@alpha"])
        self.assertEqual((360, 6), self.read(0)[store.PERSON, "alice@alpha"])

    def fill(self, now=BEGIN):
        """As many people as there is room for, each of a machine of its own; the first has the least."""
        most, fresh = store.MOST_NAMES, store.NEW_NAMES
        for first in range(0, most, fresh):
            self.kept.add(now, [Credit(f"p{number}@q{number}", "", "", 100 + number, 1) for number in range(first, first + fresh)])

    def people(self):
        """{name: sums} since ever."""
        return {text: sums for (kind, text), sums in self.read().items() if kind == store.PERSON}

    def test_a_name_more_than_there_is_room_for_takes_the_place_of_the_least_that_nobody_used_within_a_day(self):
        self.fill()
        later = BEGIN + 2 * DAY
        self.kept.add(later, [Credit("p0@q0", "", "", 1, 0)])
        self.kept.add(later, [Credit("new@q", "", "", 5000, 1), Credit("next@q", "", "", 4000, 1), Credit("p5000@q5000", "", "", 1, 0)])
        found = self.people()
        self.assertLessEqual(len(found), store.MOST_NAMES + 1)
        self.assertEqual([(5000, 1), (4000, 1), (101, 1), None, None], [found.get(name) for name in ("new@q", "next@q", "p0@q0", "p1@q1", "p2@q2")])
        self.assertEqual((101 + 102, 2), found[names.OTHERS])
        self.assertEqual((5101, 1), found["p5000@q5000"])
        self.assertEqual(tuple(map(sum, zip(*found.values()))), tuple(map(sum, zip(*self.read(BEGIN).values()))), "what the lost names had is the others'")

    def test_a_name_that_was_used_within_a_day_gives_place_to_none_whatever_the_clock_did(self):
        self.fill()
        for now in (BEGIN + DAY - 1, BEGIN - DAY + 1):
            self.kept.add(now, [Credit("new@q", "", "", 10 ** 6, 1)])
            self.assertEqual([(100, 1), None], [self.people().get(name) for name in ("p0@q0", "new@q")])
        self.assertEqual((2 * 10 ** 6, 2), self.people()[names.OTHERS])

    def test_a_sample_looks_once_through_the_names_however_many_it_brings(self):
        asked = []
        with mock.patch.object(store, "MOST_NAMES", 30):
            for now, first in ((BEGIN, 0), (BEGIN + 2 * DAY, 30)):
                asked.clear()
                self.kept._file.set_trace_callback(asked.append)
                self.kept.add(now, [Credit(f"p{number}@q{number}", "", "", 100 + number, 1) for number in range(first, first + 25)])
        self.assertEqual([1, 1], [sum(line.startswith(begins) for line in asked) for begins in ("SELECT count(*)", "SELECT id, text, seconds")])
        self.assertEqual({f"p{number}@q{number}" for number in (*range(20, 25), *range(30, 55))} | {names.OTHERS}, set(self.people()))

    def test_a_machine_that_makes_names_up_brings_ten_an_hour_and_others_theirs(self):
        for minute in range(60):
            self.kept.add(BEGIN + 60 * minute, [
                *[Credit(f"liar{minute}x{number}@mallory", f"sham{minute}x{number}", f"Sham {minute}", 10 ** 6, 1, "mallory") for number in range(50)],
                Credit(f"user{minute % 10}@alpha", f"honest{minute % 10}", f"Owner {minute}", 1, 1, f"m{minute}")])
        found = self.read()
        for kind, liar, honest, count in ((store.PERSON, "liar", "user", 10), (store.PROJECT, "sham", "honest", 10), (store.OWNER, "Sham", "Owner", 60)):
            told = [text for known, text in found if known == kind]
            self.assertEqual((10, count), (sum(text.startswith(liar) for text in told), sum(text.startswith(honest) for text in told)), told)
        self.kept.add(BEGIN + HOUR, [Credit("liar@mallory", "", "", 1, 1)])
        self.assertIn("liar@mallory", self.people())

    def test_a_name_that_two_bring_comes_by_the_one_that_may_bring_it(self):
        self.kept.add(BEGIN, [Credit(f"liar@mallory", f"sham{number}", "", 1000, 1) for number in range(20)])
        self.kept.add(BEGIN + 60, [Credit("liar@mallory", "surge", "", 1, 1), Credit("alice@alpha", "surge", "", 1, 1)])
        self.assertEqual((2, 2), self.read()[store.PROJECT, "surge"])

    def test_a_sample_brings_so_many_new_names_and_no_more(self):
        self.kept.add(BEGIN, [Credit(f"p{number}@q{number}", "", "", 10, 1) for number in range(10_000)])
        self.assertEqual(store.NEW_NAMES + 1, len(self.read()))
        self.assertEqual((100_000, 10_000), tuple(map(sum, zip(*self.read().values()))))

    def test_a_file_of_before_names_had_the_time_of_their_use_is_taken_up(self):
        self.kept.add(BEGIN, [Credit("alice@alpha", "surge", "Ada", 60, 1)])
        self.kept._file.execute("ALTER TABLE name DROP COLUMN used")
        self.kept.close()
        self.open()
        self.kept.add(BEGIN + 60, [Credit("alice@alpha", "surge", "Ada", 60, 1)])
        self.assertEqual((120, 2), self.read()[store.PERSON, "alice@alpha"])


class SizeTests(Files):
    def rows(self):
        """What all slices hold."""
        return self.kept._file.execute("SELECT count(*) FROM slice").fetchone()[0]

    @mock.patch.object(store, "TIERS", (TIERS[0], (HOUR, 100 * 24)))
    def test_two_years_of_many_people_stay_below_fifty_megabytes(self):
        """A hundred days are played, and what a row more took is counted for those of two years. The slices of the last 30 days are filled, too, and each has more
        names than it keeps; no disk is waited for."""
        self.kept._file.execute("PRAGMA synchronous = OFF")
        chance, length, largest = random.Random(1), store.TIERS[1][1] * HOUR, 0
        most = max(store.KEPT) + 2
        people = [f"somebody{number}@machine-{number % 90}" for number in range(600)]
        now, half = BEGIN, None
        while now < BEGIN + length + 2 * DAY:
            some = chance.randrange(550)
            self.kept.add(now, [Credit(people[some + at], f"project {(some + at) % 60}", f"Owner of lab {some + at}", chance.randrange(60, 200_000), chance.randrange(1, 2000), f"machine-{some + at}")
                                for at in range(most)])
            now += HOUR if now < BEGIN + length - 29 * DAY else 600
            if half is None and now >= BEGIN + length - 29 * DAY:
                half = self.size(), self.rows()
            if now % (5 * DAY) < HOUR:
                largest = max(largest, self.size())
        largest, rows, of_slice = max(largest, self.size()), self.rows(), sum(store.KEPT) + len(store.KINDS)
        counts = dict(self.kept._file.execute("SELECT tier, count(*) FROM span GROUP BY tier"))
        self.assertEqual([keep + 1 for _, keep in store.TIERS], [counts[tier] for tier in range(len(store.TIERS))])
        self.assertGreaterEqual(rows, sum(keep for _, keep in store.TIERS) * of_slice, "the slices are as full as they may be")
        lacking = (TIERS[1][1] - store.TIERS[1][1]) * of_slice
        two_years = largest + (largest - half[0]) / (rows - half[1]) * lacking
        print(f"two years of samples: {two_years / 1e6:.1f} MB")
        self.assertLessEqual(two_years, 50_000_000)
        self.assertEqual(len(store.KINDS), len({kind for kind, _ in self.read(BEGIN + 2 * DAY)}))


class EndedTests(Files):
    def test_killed_at_any_moment_it_has_all_that_was_told_to_be_kept(self):
        self.kept.close()
        chance, now, told = random.Random(2), BEGIN, 0
        tools = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(store.__file__))))
        for _ in range(20):
            child = subprocess.Popen([sys.executable, "-c", ADDER, tools, self.path, str(now)], stdout=subprocess.PIPE, text=True)
            for _ in range(chance.randrange(1, 30)):
                now = int(child.stdout.readline()) + 60
                told += 1
            os.kill(child.pid, signal.SIGKILL)
            rest = child.stdout.read().splitlines()
            child.stdout.close()
            child.wait()
            told += len(rest)
            now = int(rest[-1]) + 60 if rest else now
            self.open()
            self.assertEqual([("ok",)], self.kept._file.execute("PRAGMA integrity_check").fetchall())
            seconds, jobs = self.read().get((store.OWNER, "Ada"), (0, 0))
            # One may have been written and not told any more.
            self.assertIn(seconds - told, (0, 1))
            self.assertEqual(seconds, jobs)
            self.assertEqual((seconds, jobs), self.read(BEGIN)[store.OWNER, "Ada"], "both sums are of one transaction")
            told = seconds
            self.kept.close()
        self.assertEqual(("wal", 2), self.settings(), "each sample is on the disk when it is kept")

    def settings(self):
        """journal_mode, synchronous (2: FULL)."""
        self.open()
        return tuple(self.kept._file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous"))

    def test_a_file_that_the_disk_has_damaged_is_put_aside_and_a_new_one_begun(self):
        self.kept.add(BEGIN, [Credit(f"p{number}@q{number}", "surge", "Ada", 60, 1) for number in range(150)])
        self.kept.close()
        for damage in (b"no database at all" * 500, None):
            with open(self.path, "r+b") as file:
                if damage is None:
                    file.seek(4096)
                file.write(damage or os.urandom(8192))
            self.open()
            self.assertTrue(os.path.exists(f"{self.path}.damaged"))
            self.kept.add(BEGIN, [Credit(f"p{number}@q{number}", "surge", "Ada", 60, 1) for number in range(150)])
            self.assertEqual((9000, 150), self.read()[store.OWNER, "Ada"])
            self.kept.close()

    def test_a_file_that_is_damaged_while_it_is_open_is_put_aside_and_the_next_sample_is_kept(self):
        self.kept.add(BEGIN, [Credit(f"p{number}@q{number}", "surge", "Ada", 60, 1) for number in range(150)])
        self.kept._file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with open(self.path, "r+b") as file:
            file.write(os.urandom(os.path.getsize(self.path)))
        with self.assertRaises(sqlite3.DatabaseError):
            for _ in range(3):
                self.kept._file.execute("PRAGMA shrink_memory")
                self.kept.add(BEGIN + HOUR, [Credit("alice@alpha", "surge", "Ada", 60, 1)])
        self.kept.add(BEGIN + HOUR, [Credit("alice@alpha", "surge", "Ada", 60, 1)])
        self.assertEqual((60, 1), self.read()[store.PERSON, "alice@alpha"])
        self.assertTrue(os.path.exists(f"{self.path}.damaged"))

    def test_a_file_that_the_disk_cannot_read_is_put_aside_and_one_that_is_busy_or_on_a_full_disk_is_not(self):
        self.kept.close()
        begin = store.Store._open
        for code, is_aside in ((sqlite3.SQLITE_FULL, False), (sqlite3.SQLITE_BUSY, False), (sqlite3.SQLITE_IOERR_WRITE, False), (sqlite3.SQLITE_IOERR_READ, True)):
            wrong = sqlite3.OperationalError("disk I/O error")
            wrong.sqlite_errorcode = code
            with mock.patch.object(store.Store, "_open", autospec=True, side_effect=lambda kept, wrong=[wrong]: begin(kept) if not wrong else self.fails(wrong.pop())):
                if is_aside:
                    self.open()
                else:
                    self.assertRaises(sqlite3.OperationalError, self.open)
            self.assertEqual(is_aside, os.path.exists(f"{self.path}.damaged"), code)

    @staticmethod
    def fails(error):
        """Raises it."""
        raise error

    def test_a_sample_whose_end_fails_leaves_nothing_half_done_behind(self):
        self.kept._file.executescript("PRAGMA foreign_keys = ON; CREATE TABLE parent (id INTEGER PRIMARY KEY); "
                                      "CREATE TABLE child (id REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED); "
                                      "CREATE TRIGGER breaks AFTER INSERT ON span BEGIN INSERT INTO child VALUES (7); END")
        with self.assertRaises(sqlite3.IntegrityError):
            self.kept.add(BEGIN, [Credit("alice@alpha", "surge", "Ada", 60, 1)])
        self.kept._file.execute("DROP TRIGGER breaks")
        self.kept.add(BEGIN, [Credit("alice@alpha", "surge", "Ada", 60, 1)])
        self.assertEqual((60, 1), self.read()[store.PERSON, "alice@alpha"])

    def test_a_disk_without_room_is_told_and_what_was_there_stays(self):
        self.kept.add(BEGIN, [Credit("alice@alpha", "surge", "Ada", 60, 1)])
        pages = self.kept._file.execute("PRAGMA page_count").fetchone()[0]
        self.kept._file.execute(f"PRAGMA max_page_count = {pages}")
        with self.assertRaisesRegex(sqlite3.OperationalError, "full"):
            self.kept.add(BEGIN, [Credit(f"p{number}@q{number}", f"j{number}", f"o{number}", 60, 1, f"m{number}") for number in range(200)])
        self.assertEqual((60, 1), self.read()[store.OWNER, "Ada"])
        self.kept._file.execute("PRAGMA max_page_count = 10000")
        self.kept.add(BEGIN, [Credit("alice@alpha", "surge", "Ada", 60, 1)])
        self.assertEqual((120, 2), self.read()[store.OWNER, "Ada"])


if __name__ == "__main__":
    unittest.main()
