"""What the rounds of the bench say, as text."""

import statistics

from rows import FLOOR, WORDS

EIGHT = {"one_of_8_mbits": "one flow amid 8 peers, Mb/s", "to_8_mbits": "one flow to each of 8, Mb/s", "to_8_least": "the least of them, of the mean"}


def median(rounds, peer, key):
    """The median of one figure of one peer."""
    return statistics.median(each[peer][key] for each in rounds)


def ratio(rounds, key, peer, of="wow"):
    """The median of the rounds' ratios of ourselves (or another) to a peer; None if the peer has none of it."""
    found = [each[of][key] / each[peer][key] for each in rounds if each[peer][key]]
    return statistics.median(found) if found else None


def table(rounds):
    """Lines of text."""
    peers = [peer for peer in rounds[0] if peer != FLOOR]
    lines = [f"{'median of ' + str(len(rounds)):34}" + "".join(f"{peer:>14}" for peer in peers) + f"{'to native':>12}{'to wg-go':>12}"]
    for key, words in WORDS.items():
        ratios = [ratio(rounds, key, peer) for peer in ("native", "wireguard-go")]
        lines.append(
            f"{words:34}" + "".join(f"{median(rounds, peer, key):14g}" for peer in peers)
            + "".join(f"{'-' if each is None else format(each, '.2f'):>12}" for each in ratios))
    return lines


def floor_line(rounds):
    """How far the round trips are above that of a program that does nothing else: a goal below the floor says nothing about us on this machine."""
    above = ", ".join(f"{peer} {ratio(rounds, 'rtt_ms', FLOOR, peer):.2f}" for peer in rounds[0] if peer != FLOOR)
    return f"round trip to the floor (a forwarder that does nothing else, {median(rounds, FLOOR, 'rtt_ms'):.3f} ms): {above}"


def eight_lines(rounds):
    """Lines of text about one machine that sends to eight."""
    return [f"{words:34}{statistics.median(each[key] for each in rounds):14g}" for key, words in EIGHT.items()]
