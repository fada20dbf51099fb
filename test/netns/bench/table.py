"""What the rounds of the bench say, as text."""

import statistics

from rows import FLOOR, WORDS

OURS = "wow"
# What, of which peer's figure (without one: ours as it is), whether more is better (then the median counts, else each round), and how much.
GOALS = (
    ("TCP to wireguard-go", "tcp_mbits", "wireguard-go", True, 2.5),
    ("64 B UDP to nebula", "udp64_kpps", "nebula", True, 2.5),
    ("round trip with processors half taken, to wireguard-go", "rtt_taken_ms", "wireguard-go", False, 1.0),
    ("resident before, MB", "rss_idle_mb", None, False, 45),
    ("resident after, MB", "rss_mb", None, False, 55))
EIGHT = {"one_of_8_mbits": "one flow amid 8 peers, Mb/s", "to_8_mbits": "one flow to each of 8, Mb/s", "to_8_least": "the least of them, of the mean"}


def median(rounds, peer, key):
    """The median of one figure of one peer."""
    return statistics.median(each[peer][key] for each in rounds)


def ratios_of(rounds, key, peer, of=OURS):
    """Of each round: ourselves (or another) to a peer; without those in which the peer has none of it."""
    return [each[of][key] / each[peer][key] for each in rounds if each.get(peer, {}).get(key)]


def ratio(rounds, key, peer, of=OURS):
    """The median of the rounds' ratios; None if the peer has none of it."""
    found = ratios_of(rounds, key, peer, of)
    return statistics.median(found) if found else None


def goals(rounds):
    """What is to be reached beside peers: [{figure, goal, reached, met, rounds}], `rounds` what each came to. A peer that was not asked has none."""
    found = []
    for words, key, peer, is_least, wanted in GOALS:
        ratios = ratios_of(rounds, key, peer) if peer else [each[OURS][key] for each in rounds]
        if not ratios:
            continue
        reached = statistics.median(ratios) if is_least else max(ratios)
        found.append({"figure": f"{words}, {'median' if is_least else 'at most'}", "goal": f"{'>=' if is_least else '<='} {wanted:g}", "reached": f"{reached:.3g}",
                      "met": reached >= wanted if is_least else reached <= wanted, "rounds": [round(each, 2) for each in ratios]})
    return found


def goal_lines(rounds):
    """The same as text."""
    return [f"{one['figure']} {one['reached']}, to reach {one['goal']}: {'reached' if one['met'] else 'NOT REACHED'}; rounds {one['rounds']}"
            for one in goals(rounds)]


def table(rounds):
    """Lines of text: medians, and ours to each peer's."""
    peers = [peer for peer in rounds[0] if peer != FLOOR]
    others = [peer for peer in peers if peer != OURS]
    lines = [f"{'median of ' + str(len(rounds)):38}" + "".join(f"{peer:>16}" for peer in peers + [f"to {peer}" for peer in others])]
    for key, words in WORDS.items():
        ratios = [ratio(rounds, key, peer) for peer in others]
        lines.append(
            f"{words:38}" + "".join(f"{median(rounds, peer, key):16g}" for peer in peers)
            + "".join(f"{'-' if each is None else format(each, '.2f'):>16}" for each in ratios))
    return lines


def floor_line(rounds):
    """How far the round trips are above that of a program that does nothing else: a goal below the floor says nothing about us on this machine."""
    above = ", ".join(f"{peer} {ratio(rounds, 'rtt_ms', FLOOR, peer):.2f}" for peer in rounds[0] if peer != FLOOR)
    return f"round trip to the floor (a forwarder that does nothing else, {median(rounds, FLOOR, 'rtt_ms'):.3f} ms): {above}"


def eight_lines(rounds):
    """Lines of text about one machine that sends to eight."""
    return [f"{words:38}{statistics.median(each[key] for each in rounds):14g}" for key, words in EIGHT.items()]
