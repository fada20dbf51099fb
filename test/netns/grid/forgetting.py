"""All NATs of a pair forget, first the one's, then the other's: how long a ping ten times a second is not answered, and when the path is straight again."""

import time

from pings import Pings
from straight import STRAIGHT, Straightness
from verdict import silence

INTERVAL, SIZE = 0.1, 210
WARM = 2.5
APART = 0.15
RECOVERED = 3.5
PATIENCE = 8.0


def rounds(sites):
    """Rounds of pairs without common sites, every pair once (the circle method)."""
    circle = list(sites) + [None] * (len(sites) % 2)
    found = []
    for _ in range(len(circle) - 1):
        half = len(circle) // 2
        pairs = list(zip(circle[:half], reversed(circle[half:])))
        found.append([pair for pair in pairs if None not in pair])
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return found


def rounds_of(sites, only):
    """The rounds that have one of these pairs, which are sets of names."""
    return [pairs for pairs in rounds(sites) if any({site.name for site in pair} in only for pair in pairs)]


def measure(pool, chosen, tell):
    """
    {(a, b): (silence, straight)}, of these rounds: seconds of the longest silence, None if no NAT is there or pings did not flow before, and seconds from the last
    forgetting until both daemons say for good that the path is direct; None if they did not say so before.
    """
    results = {}
    for number, pairs in enumerate(chosen, 1):
        found = _round(pool, pairs)
        results.update(found)
        tell(number, found)
    return results


def _round(pool, pairs):
    flows = {}
    for one, two in pairs:
        flows[one, two] = Pings(pool.internet.prefix + one.name, pool.addresses[two.name], SIZE, INTERVAL)
    time.sleep(WARM)
    flowing = {pair: pings for pair, pings in flows.items() if pings.answers and time.monotonic() - pings.answers[-1] < 1}
    crooked = {pair for pair in pairs if pool.said(pair) != STRAIGHT}
    straightness = Straightness(pool.said)
    straightness.start()
    begun = {}
    for side in (0, 1):
        for pair in pairs:
            forgot_at = time.monotonic()
            if pool.internet.forget(pair[side]):
                begun.setdefault(pair, forgot_at)
                if pair not in crooked:
                    straightness.forgot(pair, forgot_at)
            time.sleep(APART)
        time.sleep(RECOVERED)
    end = time.monotonic() + PATIENCE - RECOVERED
    while time.monotonic() < end and any(time.monotonic() - pings.answers[-1] > 1 for pings in flowing.values()):
        time.sleep(0.1)
    looked_until = time.monotonic()
    straight = straightness.after()
    for pings in flows.values():
        pings.end()
    return {
        (one.name, two.name): (
            round(silence(pings.answers, begun[one, two], looked_until), 3) if (one, two) in begun and (one, two) in flowing else None, straight.get((one, two)))
        for (one, two), pings in flows.items()}
