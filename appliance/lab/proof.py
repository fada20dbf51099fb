"""The proof that the wire was sealed: every packet of every capture has a kind that is allowed, or the run fails."""

import sealed
import sites
import wire
from verdict import judge


def tap(lab, names, manager, path, offset):
    """Judges the capture of a machine's tap. Each machine's own exemption ends when its certificate is installed.

    offset: seconds by which the clock of the machine that recorded is ahead of ours.
    """
    certified = {lab.address(name): lab.moment(name, "certificate") + offset for name in names}
    return judge(path, sealed.TapRule(lab.address(manager), certified))


def wan(machine, path, ports):
    """Judges the capture at a machine's network card. ports: {address: UDP port} of the overlay of all machines, by their cards' addresses."""
    return judge(path, wire.WireRule(machine.address, machine.gateway, ports, sites.MANAGER.address))


def lines(verdicts):
    """What the captures hold, as text; verdicts is {name: Verdict}."""
    said = []
    for name, verdict in verdicts.items():
        kinds = ", ".join(f"{count} {kind}" for kind, count in verdict.kinds.most_common())
        said.append(f"{name}: {verdict.packets} packets: {kinds}")
        said += [f"  not allowed: {text}" for text in verdict.violations[:5]]
    return said


def complaints(verdicts, needed):
    """What is wrong with the captures: forbidden packets, or a kind that must be there and is not ({name: kinds})."""
    wrong = [f"{name}: {len(verdict.violations)} packets that are not allowed, the first: {verdict.violations[0]}"
             for name, verdict in verdicts.items() if verdict.violations]
    for name, kinds in needed.items():
        wrong += [f"{name}: no {kind} in it, so it proves nothing" for kind in kinds if not verdicts[name].kinds[kind]]
    return wrong


def as_json(verdicts):
    """The verdicts for report.json."""
    return {name: {"packets": verdict.packets, "kinds": dict(verdict.kinds), "violations": verdict.violations}
            for name, verdict in verdicts.items()}
