"""
What a ping ten times a second feels when something breaks: a machine dies, the way between two is cut, their relay dies, a NAT gets another
address. Each event befalls a few pairs that have nothing in common.
"""

import time

from pings import Pings
from pool import BOOTSTRAP
from pressure import moment, passed
from sites import gates_of, seen_as
from verdict import silence
from waiting import stay

INTERVAL, SIZE = 0.1, 211
AT_MOST = 4
WARM = 2.5
PATIENCE = 10.0
# So long after an answer nothing breaks any more: the flow goes on.
SETTLED = 3.0
KILLED, CUT, RELAY, MOVED = "machine killed", "path cut", "relay killed", "NAT moved"

CUT_RULES = """
table inet cut {{
  chain out {{ type filter hook output priority filter; {rules} }}
}}
"""


def measure(pool, results, tell):
    """One dict an event and pair: `event`, `a`, `b`, and `s`, the seconds until it was noticed or a ping was answered again, without what the
    computer's host took (None: not in time)."""
    sites = {site.name: site for site in pool.sites}
    found = []
    for event, pairs in chosen(results, sites).items():
        found += EVENTS[event](pool, [(sites[one], sites[two]) for one, two in pairs])
        tell(f"{event}: {' '.join(str(each['s']) for each in found if each['event'] == event)}")
    return found


def chosen(results, sites):
    """The pairs that each event befalls, by name; no two of one event share a site or a gate."""
    connected = [result for result in results if result["connected"]]
    straight = [(each["a"], each["b"]) for each in connected if each["class"] == "plain" and each["path"] == "direct"]
    relayed = [(each["a"], each["b"]) for each in connected if each["path"] == "relay"]
    moving = [(one, two) if movable(sites[two]) else (two, one) for one, two in straight if movable(sites[one]) or movable(sites[two])]
    return {KILLED: apart(straight, sites), CUT: apart(straight[::-1], sites), RELAY: apart(relayed, sites), MOVED: apart(moving, sites)}


def apart(pairs, sites):
    """The first few pairs without common sites or gates, outer ones included; nor are the two of a pair behind one gate."""
    used, found = set(), []
    for one, two in pairs:
        places = [{sites[name].name, *(gate.name for gate in gates_of(sites[name]))} for name in (one, two)]
        if not places[0] & places[1] and not used & (places[0] | places[1]):
            used |= places[0] | places[1]
            found.append((one, two))
    return found[:AT_MOST]


def movable(site):
    """Whether the gate before the site translates IPv4 on the public network, as the pool knows it."""
    gates = gates_of(site)
    return bool(gates) and gates[0].kind not in ("fence", "moving") and gates[0].outer is None and not gates[0].maps and not gates[0].hairpin


def _killed(pool, pairs):
    flows = _flows(pool, pairs)
    names = {pair: pool.nodes[pair[1].name].status()["node"] for pair in pairs}
    died, noticed = {}, {}
    for pair in pairs:
        died[pair] = moment()
        pool.nodes[pair[1].name].kill()
    all_died = moment()
    while len(noticed) < len(pairs) and passed(all_died, moment()) < PATIENCE:
        for one, two in set(pairs) - set(noticed):
            if pool.nodes[one.name].peer(names[one, two]).get("path") != "direct":
                noticed[one, two] = passed(died[one, two], moment())
        time.sleep(0.05)
    _end(flows)
    for _, two in pairs:
        pool.nodes[two.name].start(BOOTSTRAP)
    return [_result(KILLED, pair, noticed.get(pair)) for pair in pairs]


def _cut(pool, pairs):
    def break_it(pair):
        for here, there in (pair, pair[::-1]):
            rules = " ".join(f"{'ip6' if ':' in far else 'ip'} daddr {far} drop;" for far in sorted(seen_as(there, here)))
            pool.nodes[here.name].run("nft", "-f", "-", text_in=CUT_RULES.format(rules=rules))

    def mend(pair):
        for site in pair:
            pool.nodes[site.name].run("nft", "delete", "table", "inet", "cut")

    return _silences(CUT, pool, pairs, break_it, mend)


def _relay(pool, pairs):
    owners = {node.status()["node"]: node for node in pool.nodes.values()}
    found = []
    for pair in pairs:
        one, two = (pool.nodes[site.name] for site in pair)

        def break_it(_, one=one, two=two):
            peer = one.peer(two)
            broken.append(owners.get(peer.get("relay")))
            if broken[0] is not None:
                broken[0].kill()

        def mend(_):
            if broken[0] is not None:
                broken[0].start("" if broken[0].name == "boot" else BOOTSTRAP)

        broken = []
        results = _silences(RELAY, pool, [pair], break_it, mend)
        # Without a relay there was nothing to break: the ring carried them, or a straight path had come since.
        found += results if broken[0] is not None else []
    return found


def _moved(pool, pairs):
    return _silences(MOVED, pool, pairs, lambda pair: pool.internet.move(pair[1]), lambda pair: pool.internet.move(pair[1]))


def _silences(event, pool, pairs, break_it, mend):
    flows = _flows(pool, pairs)
    begun = {}
    for pair in pairs:
        begun[pair] = moment()
        break_it(pair)
    all_broken = moment()
    stay(all_broken, SETTLED)
    while passed(all_broken, moment()) < PATIENCE and any(not pings.answers or passed(pings.answers[-1], moment()) > 1 for pings in flows.values()):
        time.sleep(0.1)
    _end(flows)
    now = moment()
    for pair in pairs:
        mend(pair)
    return [
        _result(event, pair, silence(pings.answers, begun[pair], now) if pings.answers and passed(pings.answers[-1], now) < 1.5 else None)
        for pair, pings in flows.items()]


def _flows(pool, pairs):
    flows = {(one, two): Pings(pool.internet.prefix + one.name, pool.addresses[two.name], SIZE, INTERVAL) for one, two in pairs}
    time.sleep(WARM)
    return flows


def _end(flows):
    for pings in flows.values():
        pings.end()


def _result(event, pair, seconds):
    return {"event": event, "a": pair[0].name, "b": pair[1].name, "s": None if seconds is None else round(seconds, 3)}


EVENTS = {KILLED: _killed, CUT: _cut, RELAY: _relay, MOVED: _moved}
