"""Six lanes of stages beside each other: what is built and the image, unit tests, and the pool of virtual machines, each of which keeps one processor busy or often
waits; what waits for a network, what sleeps, and what serves clients, which leave the processors to these. A lane that has ended takes what another one has not begun,
so all end about together. What computes begins beside others where the processors have room (room.py). On a slow computer virtual machines come first. What has to be
alone comes after the six."""

import collections
import threading
from typing import Callable, NamedTuple

from runner.counts import Count
from runner.room import LOOK_SECONDS as ROOM_SECONDS, Room

COMPUTES, UNITS, MACHINES, WAITS, SLEEPS, SERVES, ALONE = "computes", "units", "machines", "waits", "sleeps", "serves", "alone"
BESIDE = (COMPUTES, UNITS, MACHINES, WAITS, SLEEPS, SERVES)
COMPUTING = (COMPUTES, UNITS)
LOOK_SECONDS = 1.0
BUILD, SLOW_SECONDS = "build", 80.0
"""The stage that tells whether this computer is slow, or others use it, and how long it takes where that is so (docs/decisions/0109). Nearly nothing runs beside it."""


class Result(NamedTuple):
    """What a stage came to; `why` says what is wrong, None if nothing is. `processor`: seconds of processor time that it took."""
    count: Count
    seconds: float
    why: str | None
    processor: float = 0.0


def phases(stages: list, lanes: int) -> list:
    """Groups of lanes that run one after the other: those beside each other, then what is alone; one lane in the plan's order if that is asked for."""
    if lanes == 1:
        return [[list(stages)]]
    beside = [[stage for stage in stages if stage.lane == lane] for lane in BESIDE]
    return [[lane for lane in beside if lane], [[stage for stage in stages if stage.lane == ALONE]]]


def disorder(stages: list) -> list:
    """What of the plan could never be met: a lane begins its stages in the plan's order, so a stage needs only earlier ones, and nothing beside others needs one that
    is alone."""
    found, earlier = [], {}
    for stage in stages:
        for need in (*stage.needs, *stage.after):
            if need not in earlier:
                found.append(f"{stage.name} needs {need}, which does not come before it")
            elif earlier[need] == ALONE and stage.lane != ALONE:
                found.append(f"{stage.name} needs {need}, which comes after all that is not alone")
        earlier[stage.name] = stage.lane
    return found


class Lanes:
    """Runs stages; `run(stage, unmet)` runs one and gives its Result, `stop` is set when all is to end."""

    def __init__(self, run: Callable, stop: threading.Event, room: Room | None = None):
        self._run = run
        self._stop = stop
        self._room = room or Room()
        self._running: list = []
        self._ended = threading.Condition()
        self._over: set = set()
        self.results: dict = {}

    def play(self, stages: list, lanes: int) -> None:
        """Runs all; returns when they have ended. An interruption ends the running ones first, then goes on to the caller."""
        chosen = {stage.name for stage in stages}
        for group in phases(stages, lanes):
            lanes_left = [collections.deque(lane) for lane in group]
            threads = [threading.Thread(target=self._lane, args=(own, lanes_left, chosen)) for own in lanes_left]
            try:
                for thread in threads:
                    thread.start()
                self._wait(threads)
            except BaseException:
                self._end()
                self._wait([thread for thread in threads if thread.ident is not None])
                raise

    def _wait(self, threads: list) -> None:
        """Returns when these have ended. Not by join: one that a signal interrupts takes its thread for ended ever after (Python 3.11, bpo-45274), and a signal that
        comes just before it blocks waits for its end. This looks once a second."""
        with self._ended:
            while not self._over.issuperset(threads):
                self._ended.wait(LOOK_SECONDS)

    def _end(self) -> None:
        self._stop.set()
        with self._ended:
            self._ended.notify_all()

    def _lane(self, own: collections.deque, lanes: list, chosen: set) -> None:
        try:
            while stage := self._next(own, lanes, chosen):
                self._play(stage, chosen)
        finally:
            with self._ended:
                self._over.add(threading.current_thread())
                self._ended.notify_all()

    def _next(self, own: collections.deque, lanes: list, chosen: set):
        """Waits for a stage that can begin, and takes it: the lane's own next one, and when it has none left the next one of the lane that has most. None: no stage is
        left, or all is to end."""
        def ready(lane: collections.deque) -> bool:
            return bool(lane) and all(need in self.results for need in self._before(lane[0]) if need in chosen)

        with self._ended:
            while not self._stop.is_set() and any(lanes):
                can = [lane for lane in ([own] if own else lanes) if ready(lane)]
                if found := max((lane for lane in can if self._has_room(lane[0])), key=len, default=None):
                    self._running.append(found[0])
                    self._room.begins(self._computing())
                    return found.popleft()
                # Who waits for room looks again, for nobody says that there is some.
                self._ended.wait(ROOM_SECONDS if can else None)
        return None

    def _before(self, stage) -> tuple:
        """What has to be over when a stage begins."""
        build = self.results.get(BUILD)
        return (*stage.needs, *stage.after, *(stage.slow_after if build and build.seconds >= SLOW_SECONDS else ()))

    def _has_room(self, stage) -> bool:
        """What others need, and what goes by clocks, begins when it can."""
        computing = self._computing()
        return not stage.after or stage.lane not in COMPUTING or self._room.has(computing, len(self._running) - computing)

    def _computing(self) -> int:
        return sum(one.lane in COMPUTING for one in self._running)

    def _play(self, stage, chosen: set) -> None:
        result = self._result(stage, [need for need in stage.needs if need in chosen and self.results[need].why])
        with self._ended:
            self.results[stage.name] = result
            self._running.remove(stage)
            self._ended.notify_all()

    def _result(self, stage, unmet: list) -> Result:
        try:
            return self._run(stage, unmet)
        except Exception as error:  # whatever it is, another lane may wait for this stage
            return Result(Count(0, 1), 0.0, f"{type(error).__name__}: {error}")
