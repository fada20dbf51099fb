import pathlib
import sys
import threading
import unittest
from collections import deque
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from runner.counts import Count  # noqa: E402
from runner import lanes  # noqa: E402
from runner.lanes import ALONE, BESIDE, COMPUTES, MACHINES, SLEEPS, UNITS, WAITS, Lanes, Result, disorder  # noqa: E402
from runner.stages import Stage  # noqa: E402

GOOD = Result(Count(1, 0), 0.0, None)
BAD = Result(Count(0, 1), 0.0, "it failed")
# Nothing here takes time: this ends a test that hangs.
PATIENCE = 30


def stage(name, lane=COMPUTES, needs=(), after=(), slow_after=()):
    return Stage(name, 5, [["true"]], lambda log: Count(1, 0), needs, lane=lane, after=after, slow_after=slow_after)


class Interruption(BaseException):
    """What a signal's handler raises in the main thread."""


class Lane(unittest.TestCase):
    """Stages are functions here; what each waits for is an event of the test."""

    def setUp(self):
        self.stop = threading.Event()
        self.began = []
        self.room = mock.Mock(has=mock.Mock(return_value=True))

    def play(self, stages, lanes=len(BESIDE), **does):
        """Each stage is noted as begun and does what the test says, or is good at once."""
        def run(one, unmet):
            self.began.append(one.name)
            return does.get(one.name, lambda unmet: GOOD)(unmet)

        runner = Lanes(run, self.stop, self.room)
        runner.play(stages, lanes)
        return runner.results

    def test_a_stage_waits_for_what_it_needs_of_the_other_lane(self):
        asked = threading.Event()

        def build(unmet):
            asked.wait(PATIENCE)
            return GOOD

        def other(unmet):
            asked.set()
            return GOOD

        results = self.play([stage("other", WAITS), stage("build"), stage("netns", WAITS, ("build",))], build=build, other=other)
        self.assertEqual(set(results), {"other", "build", "netns"})
        self.assertEqual(self.began[-1], "netns")

    def test_a_failure_reaches_who_needs_it_in_the_other_lane(self):
        told = []
        self.play([stage("build"), stage("netns", WAITS, ("build",))], build=lambda unmet: BAD, netns=lambda unmet: told.extend(unmet) or BAD)
        self.assertEqual(told, ["build"])

    def test_on_a_slow_computer_virtual_machines_are_over_when_others_begin_and_on_another_one_they_run_beside_them(self):
        for is_slow in (True, False):
            with self.subTest(is_slow=is_slow):
                over, beside = threading.Event(), threading.Event()

                def vm(unmet, is_slow=is_slow, over=over, beside=beside):
                    met = is_slow or beside.wait(PATIENCE)
                    over.set()
                    return GOOD if met else BAD

                def netns(unmet, is_slow=is_slow, over=over, beside=beside):
                    beside.set()
                    return GOOD if over.is_set() or not is_slow else BAD

                results = self.play([stage("build"), stage("netns", WAITS, after=("build",), slow_after=("vm",)), stage("vm", MACHINES, after=("build",))],
                                    build=lambda unmet, is_slow=is_slow: GOOD._replace(seconds=lanes.SLOW_SECONDS if is_slow else 0.0), vm=vm, netns=netns)
                self.assertFalse(any(result.why for result in results.values()), results)

    def test_who_is_to_come_after_a_stage_that_is_not_chosen_begins(self):
        slow = GOOD._replace(seconds=lanes.SLOW_SECONDS)
        results = self.play([stage("build"), stage("netns", WAITS, after=("build",), slow_after=("vm",))], build=lambda unmet: slow)
        self.assertEqual(set(results), {"build", "netns"})

    def test_what_comes_after_another_waits_for_it_and_is_run_though_that_failed(self):
        asked = threading.Event()

        def build(unmet):
            asked.wait(PATIENCE)
            return BAD

        def other(unmet):
            asked.set()
            return GOOD

        results = self.play([stage("build"), stage("other", UNITS), stage("netns", WAITS, after=("build",))], build=build, other=other)
        self.assertEqual(results, {"build": BAD, "other": GOOD, "netns": GOOD})
        self.assertEqual(self.began[-1], "netns")

    def test_what_was_not_chosen_is_not_waited_for(self):
        self.assertEqual(self.play([stage("netns", WAITS, ("build",))]), {"netns": GOOD})

    def test_the_six_lanes_run_beside_each_other(self):
        meet = threading.Barrier(6, timeout=PATIENCE)

        def met(unmet):
            meet.wait()
            return GOOD
        stages = [stage(name, lane) for name, lane in zip("abcdef", BESIDE, strict=True)]
        self.assertEqual(self.play(stages, **dict.fromkeys("abcdef", met)), dict.fromkeys("abcdef", GOOD))

    def test_a_lane_that_has_ended_takes_the_next_stage_of_the_one_that_has_most_left(self):
        both, others = threading.Barrier(3, timeout=PATIENCE), threading.Event()

        def first(unmet):
            """Two lanes are busy until the third, whose only stage is over, has begun all that theirs had left."""
            both.wait()
            others.wait(PATIENCE)
            return GOOD

        def last(unmet):
            others.set()
            return GOOD

        def only(unmet):
            both.wait()
            return GOOD

        stages = [stage("a"), stage("b"), stage("c", UNITS), stage("d", UNITS), stage("e", UNITS), stage("f", WAITS)]
        results = self.play(stages, a=first, c=first, f=only, e=last)
        self.assertEqual(set(results), set("abcdef"))
        self.assertEqual(set(self.began[:3]), {"a", "c", "f"})
        # Two are left of the units and one of what computes; then it is one each.
        self.assertEqual((self.began[3], set(self.began[4:])), ("d", {"b", "e"}))

    def test_a_lane_waits_for_what_its_own_next_stage_needs_and_takes_nothing_of_others_meanwhile(self):
        runner = Lanes(lambda one, unmet: GOOD, self.stop)
        own, other, empty = deque([stage("netns", WAITS, ("build",))]), deque([stage("free"), stage("more")]), deque()
        lanes, chosen = [own, other, empty], {"build", "netns", "free", "more"}
        # Where it would wait it says so instead.
        with mock.patch.object(runner._ended, "wait", side_effect=Interruption):
            with self.assertRaises(Interruption):
                runner._next(own, lanes, chosen)
            self.assertEqual((len(own), len(other)), (1, 2))
            self.assertEqual([runner._next(empty, lanes, chosen).name for _ in range(2)], ["free", "more"])
            with self.assertRaises(Interruption):
                runner._next(empty, lanes, chosen)
            runner.results["build"] = GOOD
            self.assertEqual(runner._next(empty, lanes, chosen).name, "netns")
            self.assertIsNone(runner._next(own, lanes, chosen))

    def test_what_is_alone_begins_when_the_lanes_have_ended(self):
        running, beside = set(), []

        def during(name):
            def run(unmet):
                running.add(name)
                beside.append((name, set(running)))
                running.discard(name)
                return GOOD
            return run

        stages = [stage("bench", ALONE), stage("idle", ALONE), stage("a"), stage("b", WAITS), stage("c", SLEEPS), stage("d", MACHINES)]
        self.play(stages, **{one.name: during(one.name) for one in stages})
        self.assertEqual(self.began[-2:], ["bench", "idle"])
        self.assertEqual(beside[-2:], [("bench", {"bench"}), ("idle", {"idle"})])

    def test_what_computes_waits_until_there_is_room_beside_what_goes_by_clocks(self):
        asked = []

        def has(computing, others):
            """There is room when the virtual machine is over and only what goes by clocks runs, whichever lane begins first, and not at once."""
            asked.append((computing, others))
            return len(asked) >= 3 and others == 1 and {"netns", "vm"} <= set(self.began)

        self.room.has = has
        over = threading.Event()
        with mock.patch.object(lanes, "ROOM_SECONDS", 0.05):
            self.play([stage("build"), stage("netns", WAITS), stage("types", after=("build",)), stage("vm", MACHINES)],
                      netns=lambda unmet: over.wait(PATIENCE) and GOOD, types=lambda unmet: over.set() or GOOD)
        self.assertEqual(self.began[-1], "types")
        self.assertEqual(asked[-1], (0, 1))

    def test_an_exception_is_the_stages_failure_and_the_other_lane_goes_on(self):
        def crash(unmet):
            raise OSError("no such tool")

        results = self.play([stage("build"), stage("netns", WAITS, ("build",))], build=crash)
        self.assertEqual((results["build"].count, results["build"].why), (Count(0, 1), "OSError: no such tool"))
        self.assertIs(results["netns"], GOOD)

    def test_an_interruption_stops_the_lanes_and_begins_no_other_stage(self):
        both = threading.Barrier(3, timeout=PATIENCE)
        ended = []

        def until_stopped(name):
            def run(unmet):
                both.wait()
                self.stop.wait(PATIENCE)
                ended.append(name)
                return BAD
            return run

        interrupts = [Interruption()]

        def wait(lanes, threads):
            """The main thread is interrupted while it waits for the lanes and both run."""
            if interrupts:
                both.wait()
                raise interrupts.pop()
            whole(lanes, threads)

        whole = Lanes._wait
        stages = [stage("a"), stage("b", WAITS), stage("c"), stage("d", WAITS, ("c",)), stage("e", ALONE)]
        with mock.patch.object(Lanes, "_wait", wait), self.assertRaises(Interruption):
            self.play(stages, a=until_stopped("a"), b=until_stopped("b"))
        self.assertEqual(sorted(ended), ["a", "b"])
        self.assertEqual(sorted(self.began), ["a", "b"])

    def test_a_lane_that_waits_for_the_other_one_is_stopped_too(self):
        self.stop.set()
        self.assertEqual(self.play([stage("a"), stage("b", WAITS, ("a",))]), {})


class Order(unittest.TestCase):
    def test_a_need_that_comes_later_or_that_nobody_knows_is_found(self):
        self.assertEqual(len(disorder([stage("a", needs=("b",)), stage("b")])), 1)
        self.assertEqual(len(disorder([stage("a", needs=("nobody",))])), 1)

    def test_a_need_that_is_alone_is_for_those_alone(self):
        self.assertEqual(len(disorder([stage("a", ALONE), stage("b", needs=("a",))])), 1)
        self.assertEqual(disorder([stage("a", ALONE), stage("b", ALONE, ("a",))]), [])


if __name__ == "__main__":
    unittest.main()
