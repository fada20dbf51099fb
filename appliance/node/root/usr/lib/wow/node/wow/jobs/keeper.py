"""wow-jobs: has jobs run again whose machine is gone (patience.py), counts what this queue's jobs have of which machine (runs.py), and tells managers of this machine
that were started anew (returned.py); on a manager takes the ads of machines away that are gone (ads.py), and has the negotiator pass over those that are drained
(condor/drained.py). On each it has HTCondor read a new list of managers, where it did not at once (condor/reread.py), and wait for no manager that is gone
(updates.py), and wow-renew look when its certificate ended (lapsed.py). Where jobs run, it sees to the owner's computer (computer/rounds.py), pause (stops/rounds.py)
and limits (limits/rounds.py), and to the projects that the owner refuses (refuse/tell.py). It writes what the page on the console shows (page/keeper.py), counts what
the machine gave (given/counter.py), and has it start again for modules that wait for that (stack/waiting.py).
While no job of this machine runs, a round is one look at the processes, at two files' times, for one file and into a few small ones, and two or three questions
to ipopd."""
import signal
import sys
import time

from wow.computer import rounds as watching
from wow.condor import drained, pace, reread
from wow.config import facts
from wow.given import counter
from wow.jobs import ads, lapsed, queue, returned, runs, updates
from wow.jobs.patience import Watch
from wow.jobs.shadows import Shadows
from wow.lib import barred, files, overlay
from wow.lib.errors import WowError
from wow.limits import line
from wow.limits import rounds as limiting
from wow.page import keeper as page
from wow.refuse import tell as refused
from wow.stack import waiting
from wow.stops import rounds as pausing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

ROUND = 5.0
"""Seconds from one look to the next: a machine takes longer than that to start anew."""
QUEUE_EVERY = 30.0
"""Seconds from one look at the queue to the next while a machine is absent, or a shadow is without its connection for long; HTCondor's tools take long to start."""
MARGIN = 30.0
"""Seconds that an ad of a machine may be late. All come as often as this machine's own."""
MINDED = 60.0
"""Seconds for which shadows are waited for whose jobs were taken back, and then for which it is looked whether those are still on hold: the schedd may have put
them there once more when a shadow ended."""
AGAIN = 180.0
"""Seconds from one such look to the next after that, while there may be one on hold."""
LOOKS, MOMENT = 30, 0.1
"""How often, and after how many seconds each, it is looked whether shadows that were ended are gone."""


class Keeper:
    """One round after the other; each ends at once where there is nothing to do. patience: seconds that a job waits for its machine; it may say otherwise
    (My.WowPatience, minutes). clock: the seconds that rounds are told."""

    def __init__(self, patience: float, clock: "Callable[[], float]" = time.monotonic) -> None:
        self._patience, self._clock = patience, clock
        self._watch, self._shadows = Watch(), Shadows()
        self._listed = float("-inf")
        self._left: set[int] = set()
        self._outlived: set[int] = set()
        self._minded_until = self._due = self._find_at = float("-inf")
        self._may_hold = True  # a former run of this program may have left jobs on hold
        self._is_alone = False

    def round(self, now: float) -> None:
        """Looks at whom the jobs of this machine hang on. now: seconds, of a clock that nobody sets."""
        self._shadows.look()
        self._release()
        if self._left and now >= self._minded_until:
            # One of them may have got another job, and goes on.
            self._outlived |= self._left
            self._left, self._minded_until = set(), now + MINDED
        self._look_again(now)
        unknown = [shadow for shadow in self._shadows.lost if shadow.claim is None]
        if unknown and now >= self._find_at and not queue.find(unknown):
            self._find_at = now + QUEUE_EVERY
        machines = self._shadows.machines
        asked = self._clock()  # HTCondor's tools may have taken long
        answers = overlay.boots(sorted(address for address in machines if not overlay.is_here(address)))
        reaches_others = any(boot is not None for boot in answers.values()) or overlay.reaches_anybody()
        answers |= dict.fromkeys(machines.keys() - answers.keys(), overlay.here())
        self._watch.look(asked, machines, answers, reaches_others, self._shadows.parted)
        self._advertise(reaches_others)
        since, revoked = barred.read()
        out = {address for address, age in machines.items() if address in revoked and age > since}
        if not out and (self._watch.is_calm or (not self._watch.is_urgent(now) and now - self._listed < QUEUE_EVERY)):
            return
        self._listed = now
        jobs = queue.placed(self._patience)
        doubted = [job for job in jobs if job.address in self._watch.doubted and self._watch.is_there(job)]
        found = queue.advertised(doubted) if doubted else None
        if lost := self._watch.lost(now, jobs, found, out, pace.kept(files.find(pace.FILE) or "") + MARGIN):
            # Before: what fails there may leave jobs on hold.
            self._may_hold = True
            self._left |= queue.take_back(lost, jobs, self._shadows.running)
            # Not from the round's begin: HTCondor's tools may have taken longer than that.
            self._minded_until = self._clock() + MINDED
            self._wait()

    @property
    def shadows(self) -> frozenset[int]:
        """The numbers of the shadows that ran at the last look."""
        return frozenset(self._shadows.running)

    def _advertise(self, reaches_others: bool) -> None:
        """Has HTCondor tell of this machine at once, when it is back from where it reached nobody: the manager took its ads away (ads.py), and in a large pool the
        next would go after minutes."""
        if self._is_alone and reaches_others:
            queue.advertise()
        self._is_alone = not reaches_others

    def _wait(self) -> None:
        """Gives HTCondor a moment to notice that shadows have ended; if it takes longer, the next round goes on."""
        for _ in range(LOOKS):
            time.sleep(MOMENT)
            self._shadows.look()
            self._release()
            if not self._left:
                return

    def _release(self) -> None:
        """Has jobs run again that were taken back, when none of their shadows is left."""
        if self._left and not self._left.intersection(self._shadows.running):
            queue.release()
            self._left = set()

    def _look_again(self, now: float) -> None:
        """Has what was put on hold once more, or was not released, run again: in each round for a while, and every few minutes until nothing is on hold and no shadow
        is left that could have the schedd put it there."""
        if self._left or not self._may_hold or self._minded_until <= now < self._due:
            return
        self._due = now + AGAIN
        is_none = queue.release()
        self._outlived.intersection_update(self._shadows.running)
        if self._outlived and queue.end(self._outlived, self._shadows.running):
            # The schedd may put its job on hold once more.
            self._minded_until = self._clock() + MINDED
        self._may_hold = now < self._minded_until or bool(self._outlived) or not is_none


def main() -> int:
    """Runs until systemd ends it. The agent's SIGUSR1 begins the next round at once (acts/pause.py)."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    pool = facts.read()
    # Before those that may wait for HTCondor's tools.
    counted, carried = counter.Counter(), line.Line()
    shown = page.Keeper(pool)
    rounds: list[Callable[[float], None]] = [updates.Updates().round, shown.round, lapsed.Lapsed(lambda: shown.status).round, counted.round]
    if pool.is_manager:
        rounds += [drained.Draining().round, ads.Keeper(pool).round]
        waits = waiting.Waiting(True, frozenset)
    else:
        keeper, counting = Keeper(float(pool.values["jobs", "patience"]) * 60), runs.Runs()
        waits = waiting.Waiting(False, lambda: keeper.shadows)
        if pool.has_slots:
            rounds[:0] = [watching.Watching().round, carried.round, pausing.Pausing().round, limiting.Limiting().round, refused.Refusing().round]
        rounds += [returned.Returned(pool).round, keeper.round, lambda now: counting.round(now, keeper.shadows)]
    # Last: what it begins ends this program.
    rounds += [reread.Retry().round, waits.round]
    # systemd's word ends the program here, in order.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        run(rounds)
    finally:
        try:
            counted.close()
        finally:
            carried.close()
    return 0


def run(rounds: "list[Callable[[float], None]]") -> None:
    """One round after the other, until the program is ended."""
    told = ""
    while True:
        wrong = ""
        for each in rounds:
            try:
                each(time.monotonic())
            except (WowError, OSError) as error:
                wrong = wrong or str(error)
        if wrong and wrong != told:
            print(wrong, flush=True)  # for the journal, once
        told = wrong
        rest()


def rest() -> None:
    """Until the next round; SIGUSR1 ends it."""
    signal.sigtimedwait({signal.SIGUSR1}, ROUND)
