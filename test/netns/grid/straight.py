"""From when on both daemons of a pair say that their path is direct again, asked all the time since its last NAT forgot."""

import threading
import time

STRAIGHT = ("direct", "direct")
# A path that was straight and is not so long after its last NAT forgot counts as so late.
WITHIN = 30.0
# Who says `direct` for so long without a break is straight: a daemon that has not noticed yet says so, too.
SETTLED = 3.0
PAUSE = 0.2


class Straightness:
    """Asks in a thread of its own from start() on, those pairs that forgot() named; after() waits for the end."""

    def __init__(self, said, clock=time.monotonic, sleep=time.sleep):
        self._said, self._clock, self._sleep = said, clock, sleep
        self._forgot, self._crooked, self._settled = {}, {}, set()
        self._lock = threading.Lock()
        self._are_all = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self):
        """Begins to ask."""
        self._thread.start()

    def forgot(self, pair, at):
        """A NAT of the pair forgot, perhaps not the first one."""
        with self._lock:
            self._forgot[pair] = at
            self._crooked.pop(pair, None)
            self._settled.discard(pair)

    def after(self):
        """No NAT forgets any more. {pair: seconds from its last forgetting until both said direct for good}; 0 if they never said anything else."""
        self._are_all.set()
        self._thread.join()
        return {pair: self._seconds(pair, at) for pair, at in self._forgot.items()}

    def _seconds(self, pair, at):
        if pair not in self._settled:
            return WITHIN
        # Who was asked for longer than that, as others were waited for, counts as who was not.
        return round(min(self._crooked[pair] - at, WITHIN), 2) if pair in self._crooked else 0.0

    def _run(self):
        while not (self._are_all.is_set() and all(pair in self._settled or self._clock() > at + WITHIN for pair, at in self._forgot.items())):
            with self._lock:
                waiting = {pair: at for pair, at in self._forgot.items() if pair not in self._settled}
            for pair, at in waiting.items():
                self._ask(pair, at)
            self._sleep(PAUSE)

    def _ask(self, pair, at):
        said = self._said(pair)
        now = self._clock()
        with self._lock:
            if self._forgot[pair] != at:
                return
            if said != STRAIGHT:
                self._crooked[pair] = now
            elif now > self._crooked.get(pair, at) + SETTLED:
                self._settled.add(pair)
