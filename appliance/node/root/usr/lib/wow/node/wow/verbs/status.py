"""wow status"""
import json

from wow.doctor import warned
from wow.lib import base, clock, control, modes, paths, table
from wow.lib.verb import Given, JSON, SOCKET, Verb
from wow.limits import month
from wow.limits import state as limits
from wow.limits import words as lent
from wow.pause import state
from wow.stack import told as stacks
from wow.stops import holding, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from wow.lib.answers import Peer, Router, Status
    from wow.lib.base import Base

OPEN = " (open: no certificates, no IPsec; anybody with this pool.conf reads what is sent, and can have jobs sent to him)"


def run(given: Given) -> int:
    """Prints the status; exit code 1 when ipopd cannot be asked."""
    path = given.get(SOCKET, paths.SOCKET)
    status = control.status(path)
    own, paused, mode, held, stack = None, None, "", limits.Limits(), None
    if not given.has(SOCKET):
        status["warnings"] = status["warnings"] + warned.own()
        own, paused, mode, held, stack = base.below(), holding.read(), modes.sentence(), limits.read(), stacks.read()
    if given.has(JSON):
        here = {} if given.has(SOCKET) else {"month": month.read().facts(), "mode": modes.facts()}
        print(json.dumps({**status, "paused": state.facts(paused), "limits": held.values(), "month": None, "base": own, "mode": None, "stack": stack, **here}))
    else:
        print("\n".join(lines(status, control.peers(path), words.told(paused) if paused else "", own, mode, lent.sentence(held), stacks.sentence(stack))))
    return 0


def links(peers: "Sequence[Peer]") -> str:
    """How many peers there are by each path, their usual round trip, and who is lossy."""
    if not peers:
        return "none yet"
    counts = ", ".join(f"{count} {path}" for path in ("direct", "relay", "ring") if (count := sum(peer["path"] == path for peer in peers)))
    times = sorted(peer["rtt_ms"] for peer in peers if peer["rtt_ms"] is not None)
    losses = [loss for peer in peers if (loss := peer.get("loss")) is not None]
    return counts + (f"; median round trip {times[len(times) // 2]:.1f} ms" if times else "") + (
        f"; {sum(losses) / len(losses) * 100:.0f} % of the last pings lost" if losses else "")


def hosts(router: "Router") -> list[list[str]]:
    """Router mode: how many hosts of the LAN have an address, and each of them."""
    served = sorted((host for host in router["hosts"] if host["address"]), key=lambda host: [int(part) for part in (host["address"] or "").split(".")])
    rows = [["router", f"serves a LAN: {len(served)} of {router['limit']} hosts have an address"]]
    for host in served:
        heard = "not heard yet" if host["heard_s"] is None else f"heard {table.duration(host['heard_s'])} ago"
        rows.append(["", f"{host['address']} {host['mac']}, {heard}, lease for {table.duration(host['lease_s'])}"])
    return rows


_LETS_IN = {
    "unknown": "not known yet",
    "independent": "everybody who knows the port",
    "address-dependent": "machines that this one has sent to",
    "address-and-port-dependent": "machines that this one has sent to, from the port it sent to",
}


def lines(status: "Status", peers: "Sequence[Peer]" = (), paused: str = "", own: "Base | None" = None, mode: str = "", held: str = "",
          stacked: str = "") -> list[str]:
    """The status for people."""
    ring, certificate = status["ring"], status.get("certificate")
    rows = [["pool", status["pool"] + (OPEN if status["open"] else "")],
            ["address", f"{status['address']} in {status['subnet']}" if status["address"] else "none yet"],
            ["name", f"{status['host']}.{status['zone']}" if status["host"] else "none yet"],
            ["node", status["node"]],
            ["ring", f"joined, {ring['near']} near of {ring['connections']} connections" if ring["joined"] else "not joined: looking for a machine of the pool"]]
    if certificate:
        rows.append(["certificate", f"{certificate['role']} {certificate['host']} {certificate['address']}, valid until {certificate['not_after']}"])
    elif not status["open"]:
        rows.append(["certificate", "none yet: only the CA can be reached"])
    if revoked := status.get("revocations"):
        rows.append(["revoked", f"{revoked['certificates']} certificate{'' if revoked['certificates'] == 1 else 's'}, by the CA's list {revoked['number']}"])
    if "nat" in status:
        rows.append(["NAT", status["nat"]["text"]])
        rows.append(["lets in", _LETS_IN[status["nat"]["filtering"]] + f"; a silent link is kept open every {status['nat']['keep_alive_s']} s"])
        rows.append(["outside", ", ".join(status["nat"]["outside"]) or "not known yet"])
    if router := status.get("router"):
        rows += hosts(router)
    if told := status.get("clock"):
        rows.append(["clock", clock.describe(told)])
    rows.append(["manager", status["manager"] or "not known yet"])
    if len(status["managers"]) > 1:
        rows.append(["managers", ", ".join(f"{one['host']} {one['address']}{' with the CA' if one['ca'] else ''}" for one in status["managers"])])
    rows.append(["peers", links(peers)])
    if mapped := status.get("port_mapping"):
        rows.append(["port", f"the gateway leads {mapped['external']} here, by {mapped['by']}" +
                     ("" if mapped["public"] else ", but it stands behind another NAT itself")])
    if "offload" in status:
        slower = [f"{one['name']} ({one['why']})" for one in status["offload"] if not one["on"]]
        rows.append(["fast path", "off: " + "; ".join(slower) if slower else "everything on"])
    rows += [[name, said] for name, said in (("mode", mode), ("jobs", paused), ("limits", f"{held} (wow limit)" if held else ""), ("modules", stacked)) if said]
    if own:
        rows.append(["base", f"Debian's packages of {own['date']}, ABI {own['abi']}"])
    rows.append(["up", table.duration(status["uptime_s"])])
    return table.columns(rows) + [f"warning: {warning['text']}" for warning in status["warnings"]]


VERB = Verb("status", "", "this machine's address, name, certificate and place in the ring, and what is wrong", (JSON, SOCKET), run)
