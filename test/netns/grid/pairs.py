"""
Both daemons of a pair start anew; pings begin as soon as both have their address on the ring. Then: the first answer, the straight path,
the path at last.
"""

import threading
import time
from collections import Counter

from pings import Pings
from sites import pair_class, seen_as
from verdict import arrivals, contradiction, direct_at, longest, path

INTERVAL = 0.05
# Each flow at a time has a size of its own, so that what one site relays for others is not taken for its own.
SIZES = (307, 509, 701, 907)
# A pair that is not straight after this lets the next one start, and goes on beside it.
ALONE = 1.5
# A path is judged by what goes in so many seconds and at least so many answers, and once more, so often at most, when it changes just then.
JUDGED, ENOUGH, JUDGEMENTS = 0.6, 8, 3
# A pair that answers nothing for so long is not connected.
UNANSWERED = 20.0


class Measuring:
    """
    Takes the pairs one after another; those that take long, at most `patience` seconds from the first answer, go on beside the
    others. results: one dict a pair.
    """

    def __init__(self, pool, pairs, patience, tell):
        self._pool = pool
        self._waiting = list(pairs)
        self._patience = patience
        self._tell = tell
        self._busy = set()
        self._state = threading.Condition()
        self._starting = threading.Lock()
        self._errors = []
        self.results = []

    def run(self):
        """Returns when all pairs are measured."""
        workers = [threading.Thread(target=self._work, args=(size,), daemon=True) for size in SIZES]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        if self._errors:
            raise self._errors[0]

    def _work(self, size):
        while (pair := self._take()) is not None:
            try:
                result = self._measure(pair, size)
                with self._state:
                    self.results.append(result)
                    self._tell(result)
            except Exception as error:  # told by run(), in its own thread
                with self._state:
                    self._errors.append(error)
                    self._waiting.clear()
            finally:
                with self._state:
                    self._busy -= {site.name for site in pair}
                    self._state.notify_all()

    def _take(self):
        with self._state:
            while self._waiting:
                for pair in self._waiting:
                    if not self._busy & {site.name for site in pair}:
                        self._waiting.remove(pair)
                        self._busy |= {site.name for site in pair}
                        return pair
                self._state.wait()
            return None

    def _measure(self, pair, size):
        one, two = pair
        with self._starting:
            up, start = self._pool.restart(pair)
            pings = Pings(self._pool.internet.prefix + one.name, self._pool.addresses[two.name], size, INTERVAL)
            straight = self._wait(pair, size, lambda: up + ALONE)
        straight = straight or self._wait(pair, size, lambda: pings.answers[0] + self._patience if pings.answers else up + UNANSWERED)
        for _ in range(JUDGEMENTS):
            seen, said, since, answered = self._judge(pair, size, pings)
            if not answered or not contradiction(seen, said) and (seen == "direct" or not straight):
                break
        pings.end()
        return {
            "a": one.name, "b": two.name, "class": pair_class(one, two), "connected": answered, "path": seen, "up_s": rounded(start),
            "first_s": rounded(pings.first()), "direct_s": rounded(straight - up if straight else None),
            "silence_s": rounded(longest(pings.answers)), "forgot_s": None, "straight_s": None, "why": self._pool.why(pair),
            "contradiction": self._unknown(pair, since) if answered and seen == "none" else contradiction(seen, said)}

    def _judge(self, pair, size, pings):
        since, before = time.monotonic(), len(pings.answers)
        time.sleep(JUDGED)
        while len(pings.answers) < before + ENOUGH and time.monotonic() < since + UNANSWERED:
            time.sleep(0.05)
        said = self._pool.said(pair)
        return path(*self._arrivals(pair, size, since)), said, since, len(pings.answers) > before

    def _unknown(self, pair, since):
        sizes = [Counter(packet.size for packet in self._pool.wire.packets(site.name) if packet.at >= since).most_common(9) for site in pair]
        return f"pings are answered, and the wire shows none of them; sizes seen: {sizes}"

    def _arrivals(self, pair, size, since=0.0):
        one, two = pair
        return [
            arrivals(self._pool.wire.packets(here.name), size, seen_as(there, here), since)
            for here, there in ((one, two), (two, one))]

    def _wait(self, pair, size, end):
        """When the path became straight, or None if it has not by end(), which may move."""
        while True:
            at = direct_at(*self._arrivals(pair, size))
            if at is not None or time.monotonic() > end():
                return at
            time.sleep(0.05)


def rounded(seconds):
    """Milliseconds are enough."""
    return None if seconds is None else round(seconds, 3)
