"""All NATs of a pair forget, first the one's, then the other's: how long a ping ten times a second is not answered, and when the path is straight again."""

import time

from pings import Pings
from pressure import moment, passed
from sites import seen_as
from straight import STRAIGHT, WITHIN, Straightness
from verdict import silence
from waiting import stay

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
    forgetting until both daemons say for good that the path is direct; None if they did not say so before. tell() hears of each round, and why who is not straight is so.
    """
    results = {}
    for number, pairs in enumerate(chosen, 1):
        found = _round(pool, pairs)
        results.update(found)
        tell(number, found, [word for pair in pairs if found[names(pair)][1] == WITHIN for word in _why(pool, pair)])
    return results


def _round(pool, pairs):
    flows = {}
    for one, two in pairs:
        flows[one, two] = Pings(pool.internet.prefix + one.name, pool.addresses[two.name], SIZE, INTERVAL)
    time.sleep(WARM)
    flowing = {pair: pings for pair, pings in flows.items() if pings.answers and passed(pings.answers[-1], moment()) < 1}
    crooked = {pair for pair in pairs if pool.said(pair) != STRAIGHT}
    straightness = Straightness(pool.said)
    straightness.start()
    begun = {}
    for side in (0, 1):
        for pair in pairs:
            forgot_at = moment()
            if pool.internet.forget(pair[side]):
                begun.setdefault(pair, forgot_at)
                if pair not in crooked:
                    straightness.forgot(pair, forgot_at)
            time.sleep(APART)
        stay(moment(), RECOVERED)
    all_forgot = moment()
    while passed(all_forgot, moment()) < PATIENCE - RECOVERED and any(passed(pings.answers[-1], moment()) > 1 for pings in flowing.values()):
        time.sleep(0.1)
    looked_until = moment()
    straight = straightness.after()
    for pings in flows.values():
        pings.end()
    return {
        names(pair): (round(silence(pings.answers, begun[pair], looked_until), 3) if pair in begun and pair in flowing else None, straight.get(pair))
        for pair, pings in flows.items()}


def names(pair):
    """The names of a pair's sites."""
    return tuple(site.name for site in pair)


def _why(pool, pair):
    """What both daemons say, and what the NATs of both remember of each other: such a path comes back by itself sooner or later, and then nothing shows why it did not."""
    return pool.why(pair) + [line for one, two in (pair, pair[::-1]) for line in pool.internet.remembered(one, seen_as(two, one))]
